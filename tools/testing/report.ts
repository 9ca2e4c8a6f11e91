// The printed report of a test run: a line for each job when it ends, each failure in full, the ten slowest
// files, and a last line with the totals.

import type { TestLine } from './event-reporter.ts';
import type { JobResult } from './job.ts';

const SLOWEST_SHOWN = 10;

/** The lines of one job. */
export function jobText(job: JobResult): string {
  const { passed, failed } = countsOf([job]);
  const name = job.files.length === 1 ? job.files[0] : `${job.files.length} files of unit tests`;
  const state = failed === 0 && job.problem === undefined ? 'ok  ' : 'FAIL';
  return [
    `${state} ${seconds(job.elapsedMs).padStart(7)}  ${name} (${passed} passed, ${failed} failed)`,
    ...failuresOf(job),
  ].join('\n');
}

/** Each failed test with its reason, and the output of the process. */
function failuresOf(job: JobResult): string[] {
  const failed = leavesOf(job.lines).filter(({ outcome }) => outcome === 'failed');
  const tests = failed.map((line) => {
    const title = titleOf(job.lines, line);
    return indent(`✖ ${line.file}: ${title}\n${indent(line.reason ?? '')}`);
  });
  if (tests.length === 0 && job.problem === undefined) return [];
  const problem = job.problem === undefined ? [] : [indent(`✖ ${job.files.join(' ')}: ${job.problem}`)];
  const output = job.output.trim();
  const printed = output === '' ? [] : [indent(`Output:\n${indent(output)}`)];
  return [...tests, ...problem, ...printed, indent(`To run it again: ${job.again}`)];
}

/** The title with its groups. Lines are in the order in which tests end, so a group comes after its tests. */
function titleOf(lines: readonly TestLine[], line: TestLine): string {
  const titles = [line.name];
  let { nesting } = line;
  for (const next of lines.slice(lines.indexOf(line) + 1)) {
    if (next.nesting >= nesting) continue;
    titles.unshift(next.name);
    nesting = next.nesting;
  }
  return titles.join(' > ');
}

/** The files that took longest; tests of one file run sequentially. */
export function slowestText(jobs: readonly JobResult[]): string {
  const byFile = new Map<string, number>();
  for (const { files, lines } of jobs)
    for (const line of lines.filter(({ nesting }) => nesting === 0)) {
      const file = (files.length === 1 ? files[0] : undefined) ?? line.file;
      byFile.set(file, (byFile.get(file) ?? 0) + line.elapsedMs);
    }
  const rows = [...byFile].toSorted(([, one], [, other]) => other - one).slice(0, SLOWEST_SHOWN);
  const shown = rows.map(([file, elapsedMs]) => `  ${seconds(elapsedMs).padStart(7)}  ${file}`);
  return [`The ${shown.length} slowest files:`, ...shown].join('\n');
}

/** Alone on its line, so that programs can read it. */
export function totalsText(jobs: readonly JobResult[]): string {
  const { passed, failed, skipped } = countsOf(jobs);
  const problems = jobs.filter(({ problem }) => problem !== undefined).length;
  const skippedText = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `${passed} passed, ${failed + problems} failed${skippedText}`;
}

export function hasPassed(jobs: readonly JobResult[]): boolean {
  return jobs.every((job) => job.problem === undefined && countsOf([job]).failed === 0);
}

/**
 * Skipped tests fail the run. On a machine that cannot run them (namespaces and mounts need root) the user
 * may accept them explicitly.
 */
export function skipsProblem(jobs: readonly JobResult[], isAccepted: boolean): string | undefined {
  const skipped = jobs.flatMap(({ lines }) => lines).filter(({ outcome }) => outcome === 'skipped');
  if (skipped.length === 0 || isAccepted) return undefined;
  const reasons = [...new Set(skipped.map(({ reason }) => `  ${reason}`))].toSorted();
  return [
    `Skipped tests (${skipped.length}):`,
    ...reasons,
    'Run the tests as root, or set SLUICE_TEST_ACCEPT_SKIPS=1 to accept this.',
  ].join('\n');
}

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

function countsOf(jobs: readonly JobResult[]): Counts {
  const leaves = jobs.flatMap(({ lines }) => leavesOf(lines));
  const count = (wanted: TestLine['outcome']) => leaves.filter(({ outcome }) => outcome === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/**
 * Tests, and groups with a failure of their own, such as a hook. A group that failed only because of its
 * tests has a reason that matches this pattern.
 */
function leavesOf(lines: readonly TestLine[]): readonly TestLine[] {
  return lines.filter(
    ({ isSuite, outcome, reason }) =>
      !isSuite || (outcome === 'failed' && !/^\d+ subtests? failed$/.test(reason ?? '')),
  );
}

export function seconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
