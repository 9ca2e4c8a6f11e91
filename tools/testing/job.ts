// A job is one process that runs some test files. The event reporter writes their results to a file; other
// output is collected and shown only after a failure. A job also fails if one of its files ran no test, if
// its process ended before all tests had ended, or if it leaves another process behind.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { ROOT } from '../run.ts';
import { LAST_LINE, type TestLine } from './event-reporter.ts';
import { runGroup, type GroupRun } from './process-group.ts';

export type JobResult = {
  readonly files: readonly string[];
  readonly lines: readonly TestLine[];
  /** A failure outside the tests: a file that does not load, a process that does not end. */
  readonly problem: string | undefined;
  readonly output: string;
  readonly elapsedMs: number;
  /** The command that runs this job again. */
  readonly again: string;
};

export type JobOptions = {
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The command that runs this job again. */
  readonly again: string;
  /** Further options of the runner, such as `--test-name-pattern=…`. */
  readonly options?: readonly string[];
};

const REPORTER = join(import.meta.dirname, 'event-reporter.ts');
/** For one test or `describe`. Waits inside a test have shorter limits and name their condition. */
const TEST_TIMEOUT_MS = 240_000;

const usualEnvironment = {
  // A small test file spends most of its time compiling its imports.
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'sluice-test', 'compiled-tests'),
  // The tests of this file run in a test runner themselves; its protocol must not reach the one started here.
  NODE_TEST_CONTEXT: '',
};

/** Tests that count allocations need a V8 that compiles and collects garbage deterministically. */
function nodeOptionsFor(files: readonly string[]): readonly string[] {
  return files.some((file) => file.endsWith('allocation.alone.test.ts')) ? ['--single-threaded'] : [];
}

export async function runJob(job: JobOptions): Promise<JobResult> {
  const { files, env, timeoutMs, again } = job;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-run-'));
  const results = join(folder, 'results.jsonl');
  try {
    const ended = await runGroup('node', argumentsOf(job, results), {
      env: { ...usualEnvironment, ...env },
      timeoutMs,
    });
    const { lines, isComplete } = readResults(results);
    const problem = processProblem(ended, lines, isComplete) ?? emptyProblem(job, lines);
    return { files, lines, problem, again, output: ended.output, elapsedMs: ended.elapsedMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function argumentsOf({ files, options = [] }: JobOptions, results: string): readonly string[] {
  return [
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
}

function processProblem(
  { isOk, isTimedOut, elapsedMs, leftBehind }: GroupRun,
  lines: readonly TestLine[],
  isComplete: boolean,
): string | undefined {
  if (isTimedOut) return `it did not end within ${Math.floor(elapsedMs / 1000)} s and was killed`;
  if (leftBehind.length > 0) return `it left processes behind, which were killed: ${leftBehind.join('; ')}`;
  if (!isComplete) return 'its process ended before its tests had ended';
  // The exit code counts too: a process may fail after its last test.
  const hasFailure = lines.some(({ outcome }) => outcome === 'failed');
  return isOk || hasFailure ? undefined : 'its process failed outside any test';
}

/** Each file has to run at least one test, unless a name pattern excludes all of them. */
function emptyProblem({ files, options = [] }: JobOptions, lines: readonly TestLine[]): string | undefined {
  const tests = lines.filter(({ isSuite }) => !isSuite);
  if (tests.length === 0) return 'it ran no test';
  if (options.length > 0 || files.length === 1) return undefined;
  const withTests = new Set(lines.filter(isOrHasTest).map(({ file }) => file));
  const empty = files.filter((file) => !withTests.has(relative(ROOT, resolve(ROOT, file))));
  return empty.length === 0 ? undefined : `${empty.join(', ')} ran no test`;
}

/** A group is reported after its tests. A file may group tests that a shared suite in another file makes. */
function isOrHasTest({ isSuite, nesting }: TestLine, at: number, lines: readonly TestLine[]): boolean {
  return !isSuite || (lines[at - 1]?.nesting ?? 0) > nesting;
}

/** The runner counts a file without tests as a passed test with the path of the file as its name. */
function isEmptyFile({ name, file, outcome }: TestLine): boolean {
  return outcome === 'passed' && resolve(ROOT, name) === resolve(ROOT, file);
}

function readResults(path: string): { readonly lines: readonly TestLine[]; readonly isComplete: boolean } {
  const text = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
  const isComplete = text.endsWith(LAST_LINE);
  // A killed process may leave an incomplete last line.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1).replace(LAST_LINE, '');
  const lines = complete
    .split('\n')
    .filter((line) => line !== '')
    // Only the event reporter writes these lines.
    .map((line) => JSON.parse(line) as TestLine)
    .filter((line) => !isEmptyFile(line))
    .map((line) => ({ ...line, file: relative(ROOT, line.file) }));
  return { lines, isComplete };
}
