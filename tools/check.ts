// `npm run check`: all static checks. Each step is a separate program; one runs per core, the slow ones
// first. Each step prints one line, and the output of failed steps follows at the end.

import { availableParallelism } from 'node:os';

import { run, type Run } from './run.ts';

type Step = { readonly name: string; readonly program: string; readonly args: readonly string[] };
type Result = Run & { readonly step: Step };

const STEPS: readonly Step[] = [
  { name: 'unused code', program: 'knip', args: ['--no-progress'] },
  // Also reports type errors, so that types are computed only once.
  { name: 'types, lint', program: 'oxlint', args: ['--type-aware', '--type-check'] },
  { name: 'documents', program: 'node', args: ['tools/docs.ts', '--check'] },
  { name: 'house style', program: 'node', args: ['tools/tidy.ts'] },
  { name: 'format', program: 'oxfmt', args: ['--check'] },
];

/** Runs all steps and prints their results; true if all passed. */
export async function check(): Promise<boolean> {
  const startedMs = performance.now();
  const results = await runAll(STEPS, Math.max(2, availableParallelism()));
  const failed = results.filter((result) => !result.isOk);
  for (const { step, output } of failed) {
    console.log(`\n--- ${step.name}: ${[step.program, ...step.args].join(' ')}\n${output.trim()}`);
  }
  const outcome =
    failed.length === 0 ? 'all passed' : `failed: ${failed.map(({ step }) => step.name).join(', ')}`;
  console.log(
    `${failed.length === 0 ? '' : '\n'}check: ${outcome} (${seconds(performance.now() - startedMs)})`,
  );
  return failed.length === 0;
}

async function runAll(steps: readonly Step[], lanes: number): Promise<Result[]> {
  const results: Result[] = [];
  const queue = steps.values();
  const lane = async (): Promise<void> => {
    for (const step of queue) {
      const result = { ...(await run(step.program, step.args)), step };
      console.log(`${result.isOk ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(12)} ${seconds(result.elapsedMs)}`);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function seconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`;
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1;
