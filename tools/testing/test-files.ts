// Finds the test files and assigns them to commands and processes by suffix: `.faults.test.ts` needs
// randomness, load or minutes and belongs to `npm run test:faults`; `.alone.test.ts` is a unit test that
// cannot share a process. Files in test/ boot the real program.

import { globSync } from 'node:fs';

import { ROOT } from '../run.ts';

export type TestFiles = {
  /** Unit tests that share a few processes. */
  readonly shared: readonly string[];
  /** Each of these runs in its own process. */
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

/**
 * Files directly in test/ take longest. Short ones come last, so that all lanes end at about the same time.
 */
function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length;
}

/** Whether the file boots the program, or cannot share a process. */
function needsOwnProcess(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.alone.test.ts');
}
