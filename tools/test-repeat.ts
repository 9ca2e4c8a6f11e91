// `npm run test:repeat -- FILE …`: runs each test file whose path contains one of the arguments many times,
// together with CPU burners, as on a busy machine. A test that passes alone and fails here waits for time
// instead of for a condition. The defaults are `--times=20` and `--burners=2`.

import { parseArgs } from 'node:util';

import { buildTestProgram } from './build/test-program.ts';
import { startBurners } from './testing/burners.ts';
import { runJob, type JobResult } from './testing/job.ts';
import { hasPassed, jobText, seconds, skipsProblem, totalsText } from './testing/report.ts';
import { findTestFiles } from './testing/test-files.ts';

const RUN_TIMEOUT_MS = 20 * 60 * 1000;
const MAX_TIMES = 1_000;
const MAX_BURNERS = 64;
const SEED = process.env['SLUICE_TEST_SEED'] ?? '1';

process.exitCode = (await repeat(process.argv.slice(2))) ? 0 : 1;

async function repeat(args: readonly string[]): Promise<boolean> {
  const wanted = readArguments(args);
  if (typeof wanted === 'string') {
    console.error(wanted);
    return false;
  }
  const env = { SLUICE_TEST_PROGRAM: await buildTestProgram(), SLUICE_TEST_SEED: SEED };
  const endBurners = startBurners(wanted.burners);
  try {
    const results: JobResult[] = [];
    for (const file of wanted.files) results.push(...(await repeatFile(file, wanted.times, env)));
    const skips = skipsProblem(results, process.env['SLUICE_TEST_ACCEPT_SKIPS'] === '1');
    if (skips !== undefined) console.error(skips);
    console.log(totalsText(results));
    return hasPassed(results) && skips === undefined;
  } finally {
    endBurners();
  }
}

type Arguments = { readonly files: readonly string[]; readonly times: number; readonly burners: number };

/** A string is an error message. */
function readArguments(args: readonly string[]): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { times: { type: 'string', default: '20' }, burners: { type: 'string', default: '2' } },
    });
    const { shared, separate, faults } = findTestFiles(positionals);
    const files = [...separate, ...shared, ...faults];
    if (positionals.length === 0 || files.length === 0)
      return 'Name test files by a part of their path: npm run test:repeat -- test/restart.test.ts';
    const times = numberOf('times', values.times, 1, MAX_TIMES);
    return { files, times, burners: numberOf('burners', values.burners, 0, MAX_BURNERS) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function numberOf(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`--${option}=${text} has to be a whole number from ${least} to ${most}.`);
}

async function repeatFile(
  file: string,
  times: number,
  env: Readonly<Record<string, string>>,
): Promise<JobResult[]> {
  const results: JobResult[] = [];
  const again = `SLUICE_TEST_SEED=${SEED} npm run test:repeat -- ${file}`;
  for (let round = 0; round < times; round++) {
    const result = await runJob({ files: [file], env, timeoutMs: RUN_TIMEOUT_MS, again });
    if (!hasPassed([result])) console.log(`Run ${round + 1} of ${times}:\n${jobText(result)}`);
    results.push(result);
  }
  const passed = results.filter((result) => hasPassed([result])).length;
  const longestMs = Math.max(...results.map(({ elapsedMs }) => elapsedMs));
  const state = passed === times ? 'ok  ' : 'FAIL';
  console.log(`${state} ${file}: ${passed} of ${times} runs passed, the longest took ${seconds(longestMs)}`);
  return results;
}
