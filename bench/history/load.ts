// The cost of the history while DNS is under load: CPU time of the history thread per stored query, with no
// record dropped, and the DNS latency during the most expensive request compared with idle.

import { lateness99, underLoad } from '../dns/load.ts';
import type { Sluice } from '../dns/sluice.ts';
import { threadsCpuSeconds } from '../process-figures.ts';
import { amountRow, factorRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import type { MadeHistory } from './made.ts';

const STORED_RATE = 20_000;
/** Long enough for several segments to be closed. */
const STORED_SECONDS = 20;
const WARM_UP_SECONDS = 10;
const SETTLE_MS = 2_000;
const ROUNDS = 7;
const LATENESS_RATE = 5_000;
const LATENESS_SECONDS = 3;

export async function storedRows(sluice: Sluice, { questions }: MadeHistory): Promise<readonly Row[]> {
  const load = { port: sluice.port, names: questions, rate: STORED_RATE };
  const cpu = (): number => threadsCpuSeconds(sluice.pid, /^history/);
  await underLoad({ ...load, seconds: WARM_UP_SECONDS }, cpu);
  const before = await stored(sluice);
  const { answered, perSecond, microseconds } = await underLoad({ ...load, seconds: STORED_SECONDS }, cpu);
  const added = (await stored(sluice)) - before;
  const rate = `${(perSecond / 1000).toFixed(1)} thousand/s`;
  return [
    amountRow(`history: CPU of its thread per stored query, at ${rate}`, microseconds, 'us', 5),
    amountRow('history: answered and not stored', Math.max(answered - added, 0), 'queries', 0),
  ];
}

/** Waits until all answered queries are stored. */
async function stored({ url }: Sluice): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  // The contract says what a page has.
  const { recordsTotal } = (await (await fetch(`${url}/api/queries?length=0`)).json()) as {
    recordsTotal: number;
  };
  return recordsTotal;
}

/**
 * Statistics of one client over all days: there are no sums for that, so rows are read until the time limit.
 */
export async function latenessRow(sluice: Sluice, made: MadeHistory): Promise<Row> {
  const load = { port: sluice.port, names: made.questions, seconds: LATENESS_SECONDS, rate: LATENESS_RATE };
  const heaviest = `${sluice.url}/api/stats/summary?from=1&client=${made.client}`;
  const rest: number[] = [];
  const during: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rest.push(await lateness99(load, 'elsewhere'));
    const busy = lateness99(load, 'elsewhere');
    await Promise.all([busy, askWhile(busy, heaviest)]);
    during.push(await busy);
  }
  const [calm, late] = [median(rest), median(during)];
  const detail = `${late.toFixed(2)} ms / ${calm.toFixed(2)} ms at ${LATENESS_RATE / 1000},000/s`;
  return factorRow(
    'history: DNS p99 during the most expensive request against idle',
    late / calm,
    detail,
    1.3,
  );
}

async function askWhile(busy: Promise<unknown>, url: string): Promise<void> {
  const state = { isOver: false };
  void busy.finally(() => (state.isOver = true));
  while (!state.isOver) {
    const reply = await fetch(url);
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`GET ${url}: ${reply.status}`);
  }
}
