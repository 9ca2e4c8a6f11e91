// From a changed list file until it is in force: the time, the peak memory and the resident memory at rest.
// Each round adds one name, so that the list is read and compiled completely.

import { setTimeout as sleep } from 'node:timers/promises';

import { isBlocked, untilAnswered } from '../dns/question.ts';
import type { Sluice } from '../dns/sluice.ts';
import { forgetPeak, peakMegabytes, residentMegabytes } from '../process-figures.ts';
import { amountRow, factorRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import { update } from './api.ts';
import { appendName } from './names.ts';

const REST_MS = 15_000;

export type RebuildBars = {
  readonly rounds: number;
  readonly seconds: number;
  readonly peak: number;
  readonly restMegabytes?: number;
};

export async function rebuildRows(
  sluice: Sluice,
  file: string,
  count: string,
  bars: RebuildBars,
): Promise<readonly Row[]> {
  await sleep(REST_MS);
  const rest = residentMegabytes(sluice.pid);
  forgetPeak(sluice.pid);
  const seconds: number[] = [];
  for (let round = 0; round < bars.rounds; round++) seconds.push(await rebuild(sluice, file, round));
  const peak = peakMegabytes(sluice.pid);
  const detail = `${peak.toFixed(0)} MB / ${rest.toFixed(0)} MB`;
  return [
    amountRow(`policy: ${count} domains from a file to serving`, median(seconds), 's', bars.seconds),
    amountRow(`policy: resident memory with ${count} names`, rest, 'MB', bars.restMegabytes),
    factorRow(`policy: peak memory of rebuilding ${count} against rest`, peak / rest, detail, bars.peak),
  ];
}

/** Seconds until the added name is blocked. */
async function rebuild(sluice: Sluice, file: string, round: number): Promise<number> {
  const name = `added${round}.rebuild.example`;
  appendName(file, name);
  const startedMs = performance.now();
  await update(sluice);
  await untilAnswered(sluice.port, name, isBlocked);
  return (performance.now() - startedMs) / 1000;
}
