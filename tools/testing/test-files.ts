// Which test files there are, by the command and the process that runs them. The suffix of a file says it:
// `.faults.test.ts` needs chance, load or minutes and belongs to `npm run test:faults`; `.alone.test.ts` is a
// unit test that cannot share a process with others. What lies in test/ boots the real program.

import { globSync } from 'node:fs';

import { ROOT } from '../run.ts';

export type TestFiles = {
  /** Unit tests that share a few processes. */
  readonly shared: readonly string[];
  /** Each of these gets a process of its own. */
  readonly separate: readonly string[];
  readonly faults: readonly string[];
};

const PATTERNS = ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'];

/** All files, or those whose path contains one of the filters. */
export function findTestFiles(filters: readonly string[]): TestFiles {
  const all = globSync(PATTERNS, { cwd: ROOT }).toSorted();
  const wanted =
    filters.length === 0 ? all : all.filter((path) => filters.some((filter) => path.includes(filter)));
  const faults = wanted.filter((path) => path.endsWith('.faults.test.ts'));
  const usual = wanted.filter((path) => !path.endsWith('.faults.test.ts'));
  return {
    faults,
    separate: usual.filter((path) => needsOwnProcess(path)).toSorted(byDepth),
    shared: usual.filter((path) => !needsOwnProcess(path)),
  };
}

/** Files right below test/ take longest. Short ones come last, so that all lanes end together. */
function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length;
}

/** Whether the file boots the program, or says that it cannot share a process. */
function needsOwnProcess(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.alone.test.ts');
}
