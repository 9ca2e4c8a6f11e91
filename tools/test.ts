// `npm test`: installs missing system packages, then runs the check and all tests at the same time, four test
// processes at once; the program for black-box tests is built first. Unit tests share a few processes; a file
// that boots the program has its own. One run shows all failures of the check and the tests. Arguments select
// the test files whose path contains one of them (`npm test -- src/contract`) and leave out the check;
// options (`--test-name-pattern=…`) go to the test runner.

import { buildTestProgram } from './build/test-program.ts';
import { check } from './check.ts';
import { systemPackagesProblem } from './system-packages.ts';
import type { JobOptions } from './testing/job.ts';
import { runOnLanes } from './testing/lanes.ts';
import { hasPassed, seconds, skipsProblem, slowestText, totalsText } from './testing/report.ts';
import { watchStolenTime } from './testing/stolen-time.ts';
import { findTestFiles, type TestFiles } from './testing/test-files.ts';

/** Twice the cores of our development machines, because tests that boot the program often wait. */
const LANES = 4;
/** The number of processes for unit tests; more of them would load the same modules more often. */
const SHARDS = 3;
const JOB_TIMEOUT_MS = 8 * 60 * 1000;

const args = process.argv.slice(2);
const filters = args.filter((arg) => !arg.startsWith('-'));
const options = args.filter((arg) => arg.startsWith('-'));
process.exitCode = (await testAll()) ? 0 : 1;

async function testAll(): Promise<boolean> {
  const files = findTestFiles(filters);
  if (files.shared.length + files.separate.length === 0) return fail(noTestsText(files));
  if (filters.length > 0) return runTests(files);
  const problem = await systemPackagesProblem();
  if (problem !== undefined) return fail(problem);
  // At the same time: the check uses the CPU while tests wait.
  const [isClean, isPassed] = await Promise.all([check(), runTests(files)]);
  if (!isClean) return fail('The check failed, see above; `npm run check` runs it alone.');
  return isPassed;
}

async function runTests(files: TestFiles): Promise<boolean> {
  const startedMs = performance.now();
  const stolenTime = watchStolenTime();
  const env: Record<string, string> =
    files.separate.length === 0 ? {} : { SLUICE_TEST_PROGRAM: await buildTestProgram() };
  const results = await runOnLanes(LANES, jobsOf(files, env), console.log);
  console.log(`\n${slowestText(results)}\n\ntests: ${seconds(performance.now() - startedMs)}`);
  const stolen = stolenTime();
  if (stolen !== undefined) console.log(stolen);
  if (process.env['SLUICE_TEST_LISTS'] === undefined)
    console.log('SLUICE_TEST_LISTS is unset: tests with real lists used generated ones only.');
  const skips = skipsProblem(results, process.env['SLUICE_TEST_ACCEPT_SKIPS'] === '1');
  if (skips !== undefined) console.error(skips);
  console.log(totalsText(results));
  return hasPassed(results) && skips === undefined;
}

function noTestsText({ faults }: TestFiles): string {
  return faults.length === 0
    ? `No test file matches ${filters.join(' ')}; name a part of its path.`
    : `These tests need randomness, load or minutes: npm run test:faults -- ${filters.join(' ')}`;
}

/** Large jobs come first, so that all lanes end at about the same time. */
function jobsOf({ shared, separate }: TestFiles, env: Readonly<Record<string, string>>): JobOptions[] {
  const shards = Array.from({ length: Math.min(SHARDS, shared.length) }, (_, shard) =>
    shared.filter((_path, index) => index % SHARDS === shard),
  );
  const groups = [...shards, ...separate.map((file) => [file])];
  return groups.map((group) => ({
    files: group,
    env,
    options,
    timeoutMs: JOB_TIMEOUT_MS,
    again: again(group),
  }));
}

/** For a job with many files, the failure itself names the file. */
function again(files: readonly string[]): string {
  return `npm test -- ${files.length === 1 ? files[0] : 'FILE'}`;
}

function fail(problem: string): false {
  console.error(problem);
  return false;
}
