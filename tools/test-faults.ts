// `npm run test:faults`: runs the tests that need randomness, load or minutes (random kills, floods, full
// disks, restarts under load), two files at a time, because most of them wait for processes and timers. The
// seed is fixed, so that a failure is reproducible; set `SLUICE_TEST_SEED` to another number or to `random`.
// Arguments select the files whose path contains one of them.

import { basename } from 'node:path';

import { buildTestProgram } from './build/test-program.ts';
import { systemPackagesProblem } from './system-packages.ts';
import { runOnLanes } from './testing/lanes.ts';
import { hasPassed, seconds, skipsProblem, slowestText, totalsText } from './testing/report.ts';
import { watchStolenTime } from './testing/stolen-time.ts';
import { findTestFiles } from './testing/test-files.ts';

const LANES = 2;
/** They start first, so that both lanes end at about the same time. */
const LONGEST_FILES = ['restart', 'openapi-properties', 'damaged-folder', 'kill'];
const FILE_TIMEOUT_MS = 10 * 60 * 1000;

process.exitCode = (await testFaults(process.argv.slice(2))) ? 0 : 1;

async function testFaults(filters: readonly string[]): Promise<boolean> {
  const { faults } = findTestFiles(filters);
  const problem =
    faults.length === 0 ? `No *.faults.test.ts matches ${filters.join(' ')}.` : await systemPackagesProblem();
  if (problem !== undefined) {
    console.error(problem);
    return false;
  }
  const startedMs = performance.now();
  const stolenTime = watchStolenTime();
  const seed = seedOf(process.env['SLUICE_TEST_SEED']);
  console.log(`Seed ${seed}; to repeat this run: SLUICE_TEST_SEED=${seed} npm run test:faults`);
  const env = { SLUICE_TEST_PROGRAM: await buildTestProgram(), SLUICE_TEST_SEED: seed };
  const jobs = faults.toSorted(byLength).map((file) => ({
    files: [file],
    env,
    timeoutMs: FILE_TIMEOUT_MS,
    again: `SLUICE_TEST_SEED=${seed} npm run test:faults -- ${file}`,
  }));
  const results = await runOnLanes(LANES, jobs, console.log);
  console.log(`\n${slowestText(results)}\n\nfaults: ${seconds(performance.now() - startedMs)}`);
  const stolen = stolenTime();
  if (stolen !== undefined) console.log(stolen);
  const skips = skipsProblem(results, process.env['SLUICE_TEST_ACCEPT_SKIPS'] === '1');
  if (skips !== undefined) console.error(skips);
  console.log(totalsText(results));
  return hasPassed(results) && skips === undefined;
}

function byLength(one: string, other: string): number {
  return lengthRank(one) - lengthRank(other);
}

function lengthRank(file: string): number {
  const rank = LONGEST_FILES.indexOf(basename(file, '.faults.test.ts'));
  return rank === -1 ? LONGEST_FILES.length : rank;
}

/** All files of a run share one seed. */
function seedOf(wanted: string | undefined): string {
  return wanted === 'random' ? String(Date.now() % 2 ** 31) : (wanted ?? '1');
}
