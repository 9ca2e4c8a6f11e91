// `npm run test:repeat -- FILE …`: runs each test file whose path contains one of the arguments many times
// with CPU burners beside it, as on a busy machine. A test that passes alone and fails here waits for time to
// pass instead of for what it needs. `--times=20` and `--burners=2` are the usual numbers.

import { buildTestProgram } from './build/test-program.ts';
import { startBurners } from './testing/burners.ts';
import { runJob, type JobResult } from './testing/job.ts';
import { hasPassed, jobText, seconds, totalsText } from './testing/report.ts';
import { findTestFiles } from './testing/test-files.ts';

const RUN_TIMEOUT_MS = 20 * 60 * 1000;

const args = process.argv.slice(2);
const filters = args.filter((arg) => !arg.startsWith('--'));
process.exitCode = (await repeat()) ? 0 : 1;

async function repeat(): Promise<boolean> {
  const { shared, separate, faults } = findTestFiles(filters);
  const files = [...separate, ...shared, ...faults];
  if (filters.length === 0 || files.length === 0) {
    console.error('Name test files by a part of their path: npm run test:repeat -- test/restart.test.ts');
    return false;
  }
  const times = numberOf('times', 20);
  const env = { SLUICE_TEST_PROGRAM: await buildTestProgram() };
  const endBurners = startBurners(numberOf('burners', 2));
  try {
    const results: JobResult[] = [];
    for (const file of files) results.push(...(await repeatFile(file, times, env)));
    console.log(totalsText(results));
    return hasPassed(results);
  } finally {
    endBurners();
  }
}

async function repeatFile(
  file: string,
  times: number,
  env: Readonly<Record<string, string>>,
): Promise<JobResult[]> {
  const results: JobResult[] = [];
  for (let round = 0; round < times; round++) {
    const result = await runJob({ files: [file], env, timeoutMs: RUN_TIMEOUT_MS });
    if (!hasPassed([result])) console.log(`Run ${round + 1} of ${times}:\n${jobText(result)}`);
    results.push(result);
  }
  const passed = results.filter((result) => hasPassed([result])).length;
  const longestMs = Math.max(...results.map(({ elapsedMs }) => elapsedMs));
  const state = passed === times ? 'ok  ' : 'FAIL';
  console.log(`${state} ${file}: ${passed} of ${times} runs passed, the longest took ${seconds(longestMs)}`);
  return results;
}

function numberOf(option: string, usual: number): number {
  const found = args.find((arg) => arg.startsWith(`--${option}=`));
  return found === undefined ? usual : Number(found.slice(option.length + 3));
}
