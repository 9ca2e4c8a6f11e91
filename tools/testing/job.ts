// One process that runs some test files. Their results come as lines of the event reporter in a file of its
// own; what the tests print besides is kept, and shown only when something fails. A process that does not end
// is killed, and the report names the files that it was running.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { ROOT, run, type Run } from '../run.ts';
import type { TestLine } from './event-reporter.ts';

export type JobResult = {
  readonly files: readonly string[];
  readonly lines: readonly TestLine[];
  /** What went wrong outside the tests: a file that does not load, a process that does not end. */
  readonly problem: string | undefined;
  readonly output: string;
  readonly elapsedMs: number;
};

export type JobOptions = {
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Further options of the runner, such as `--test-name-pattern=…`. */
  readonly options?: readonly string[];
};

const REPORTER = join(import.meta.dirname, 'event-reporter.ts');
/** Of one test or `describe`. Each wait inside a test has a shorter limit, and says what it waited for. */
const TEST_TIMEOUT_MS = 240_000;

const usualEnvironment = {
  // Most of the time that a small test file takes is the compilation of what it imports.
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'sluice-test', 'compiled-tests'),
  // The tests of this file run in a runner themselves, whose protocol must not reach the one started here.
  NODE_TEST_CONTEXT: '',
};

/** Tests that count allocations need a V8 that compiles and collects at the same moment in every run. */
function nodeOptionsFor(files: readonly string[]): readonly string[] {
  return files.some((file) => file.endsWith('allocation.alone.test.ts')) ? ['--single-threaded'] : [];
}

export async function runJob({ files, env, timeoutMs, options = [] }: JobOptions): Promise<JobResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-run-'));
  const results = join(folder, 'results.jsonl');
  const args = [
    ...nodeOptionsFor(files),
    '--test',
    '--test-isolation=none',
    '--test-concurrency=1',
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--test-reporter=${REPORTER}`,
    `--test-reporter-destination=${results}`,
    ...options,
    ...files,
  ];
  try {
    const ended = await run('node', args, { env: { ...usualEnvironment, ...env }, timeoutMs });
    const all = readLines(results);
    const lines = all
      .filter((line) => !isEmptyFile(line))
      .map((line) => ({ ...line, file: relative(ROOT, line.file) }));
    return { files, lines, problem: problemOf(ended, all), ...ended };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The exit code counts, too: a process may die behind its last test. */
function problemOf({ isOk, isTimedOut, elapsedMs }: Run, lines: readonly TestLine[]): string | undefined {
  if (isTimedOut) return `it did not end within ${Math.floor(elapsedMs / 1000)} s and was killed`;
  const empty = lines.filter(isEmptyFile).map(({ file }) => relative(ROOT, file));
  if (empty.length > 0) return `${empty.join(', ')} ran no test`;
  if (isOk) return lines.length === 0 ? 'it ran no test' : undefined;
  return lines.some(({ outcome }) => outcome === 'failed')
    ? undefined
    : 'its process failed outside any test';
}

/** The runner counts a file without tests as a passed test with the path of the file as its name. */
function isEmptyFile({ name, file, outcome }: TestLine): boolean {
  return name === file && outcome === 'passed';
}

function readLines(path: string): TestLine[] {
  const text = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
  // Written by the event reporter alone; a line that a killed process left unfinished says nothing.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return complete.filter((line) => line !== '').map((line) => JSON.parse(line) as TestLine); // As above.
}
