// `npm test`: the system packages that tests need, then the check, then the program that black-box tests
// start is built, then all tests in one run of node's own runner, whose summary closes the output. A failed
// check does not keep the tests from running: one run tells everything. Arguments narrow the run to the test
// files whose path contains one of them (`npm test -- src/contract`), and then to the tests alone; options
// (`--test-name-pattern=…`) go to the runner.

import { globSync } from 'node:fs';

import { buildTestProgram } from './build/test-program.ts';
import { check } from './check.ts';
import { ROOT, run } from './run.ts';
import { systemPackagesProblem } from './system-packages.ts';

const TEST_FILES = ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'];
/** Two files at a time: black-box tests mostly wait. The time limit holds for one test or `describe`. */
const RUNNER = ['--test', '--test-reporter=spec', '--test-concurrency=2', '--test-timeout=300000'];
/** The runner has no limit for a file that never ends; told to stop, it names that file and sums up. */
const RUN_TIMEOUT_MS = 15 * 60 * 1000;

const args = process.argv.slice(2);
const filters = args.filter((arg) => !arg.startsWith('-'));
const options = args.filter((arg) => arg.startsWith('-'));
process.exitCode = (await testAll()) ? 0 : 1;

async function testAll(): Promise<boolean> {
  const files = testFiles();
  if (files.length === 0) return fail(`No test file matches ${filters.join(' ')}; name a part of its path.`);
  if (filters.length > 0) return runTests(files);
  const problem = await systemPackagesProblem();
  if (problem !== undefined) return fail(problem);
  const isClean = await check();
  const hasPassed = await runTests(files);
  if (!isClean) return fail('The check failed, see above the tests; `npm run check` runs it alone.');
  return hasPassed;
}

function testFiles(): string[] {
  const all = TEST_FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).toSorted()).filter(
    (path) => !path.endsWith('.faults.test.ts'),
  );
  return filters.length === 0 ? all : all.filter((path) => filters.some((filter) => path.includes(filter)));
}

async function runTests(files: readonly string[]): Promise<boolean> {
  const { isOk } = await run('node', [...RUNNER, ...options, ...files], {
    output: 'inherit',
    env: { SLUICE_TEST_PROGRAM: await buildTestProgram() },
    timeoutMs: RUN_TIMEOUT_MS,
  });
  if (process.env['SLUICE_TEST_LISTS'] === undefined) {
    console.log('SLUICE_TEST_LISTS is unset: tests with real lists used generated ones only.');
  }
  return isOk;
}

function fail(problem: string): false {
  console.error(problem);
  return false;
}
