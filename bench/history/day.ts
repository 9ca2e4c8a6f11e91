// Statistics of the last 24 hours with cold caches, and while queries arrive: cases that the median of many
// requests hides. It measures the first request of each kind 2 s after a start, the slowest of several
// starts, and a custom range that begins in the middle of the busiest hour, so that rows have to be read.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { run } from '../../tools/run.ts';
import { underLoad } from '../dns/load.ts';
import { firstAnswer } from '../dns/question.ts';
import { startSluice, type Sluice } from '../dns/sluice.ts';
import { amountRow, type Row } from '../report.ts';
import type { MadeHistory } from './made.ts';

const STARTS = 3;
/** A user does not open the log sooner after a start. */
const AFTER_START_MS = 2_000;
const OPENED_PAUSE_MS = 50;
const OPENED_TURNS = 200;
const BAR_MS = 20;
const FLOW_RATE = 2_000;
const FLOW_SECONDS = 12;
const PAUSE_MS = 20;

const PATHS = [
  'stats/summary',
  'stats/query_types',
  'stats/upstreams',
  'stats/top_domains',
  'stats/top_domains?blocked=true',
  'stats/top_clients',
  'history',
  'history/clients',
] as const;

/** The slowest time of each path. */
type Times = Map<string, number>;

export async function firstRows(
  launcher: string,
  made: MadeHistory,
  upstreamPort: number,
): Promise<readonly Row[]> {
  const first: Times = new Map();
  const own: Times = new Map();
  for (let start = 0; start < STARTS; start++) {
    await forgetPages(join(made.folder, 'data', 'history.db'));
    const sluice = await startSluice(launcher, { upstreamPort, workers: 1, folder: made.folder });
    try {
      // The user's device has queried a name before, which starts the history thread.
      await firstAnswer(sluice.port);
      await untilRemembered(sluice);
      await sleep(AFTER_START_MS);
      // Each start begins with another path, so that each path is the first once.
      for (const path of turned(PATHS, 3 * start)) keepLonger(first, path, await tookMs(sluice, path));
      const range = `from=${made.busiestMs / 1000}`;
      for (const path of ['stats/summary', 'stats/top_domains', 'history'])
        keepLonger(own, path, await tookMs(sluice, `${path}?${range}`));
    } finally {
      await sluice.stop();
    }
  }
  return [
    slowestOf('the last 24 hours, first request 2 s after a start', first),
    slowestOf('a range from the middle of the busiest hour, first request', own),
  ];
}

/** Waits until the history thread has opened the file. */
async function untilRemembered({ url }: Sluice): Promise<void> {
  for (let turn = 0; turn < OPENED_TURNS; turn++) {
    const status = await (await fetch(`${url}/api/status`)).text();
    if (/"name":"history","state":"running"/u.test(status)) return;
    await sleep(OPENED_PAUSE_MS);
  }
  throw new Error('The history thread was not started.');
}

/** Drops the page cache, so that the kernel reads from disk. */
function forgetPages(path: string): Promise<unknown> {
  return run('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
}

function turned<T>(all: readonly T[], by: number): T[] {
  return [...all.slice(by % all.length), ...all.slice(0, by % all.length)];
}

function keepLonger(times: Times, path: string, ms: number): void {
  times.set(path, Math.max(ms, times.get(path) ?? 0));
}

function slowestOf(name: string, times: Times): Row {
  const [path, ms] = [...times].toSorted(([, a], [, b]) => b - a)[0] ?? ['', Number.NaN];
  return amountRow(
    `history: ${name} (slowest of ${times.size}, ${STARTS} starts: ${path})`,
    ms,
    'ms',
    BAR_MS,
  );
}

async function tookMs({ url }: Sluice, path: string): Promise<number> {
  const startedMs = performance.now();
  const reply = await fetch(`${url}/api/${path}`);
  const text = await reply.text();
  const ms = performance.now() - startedMs;
  if (!reply.ok || !text.includes('"truncated":false'))
    throw new Error(`GET ${path} gives a wrong reply: ${reply.status} ${text.slice(0, 300)}`);
  return ms;
}

/** The 95th percentile while queries arrive. */
export async function flowRow(sluice: Sluice, { questions }: MadeHistory): Promise<Row> {
  const state = { isOver: false };
  const load = { port: sluice.port, names: questions, seconds: FLOW_SECONDS, rate: FLOW_RATE };
  const flowing = underLoad(load, sluice.cpuSeconds).finally(() => (state.isOver = true));
  const times: number[] = [];
  for (let turn = 0; !state.isOver; turn++) {
    times.push(await tookMs(sluice, PATHS[turn % PATHS.length] ?? PATHS[0]));
    await sleep(PAUSE_MS);
  }
  await flowing;
  times.sort((a, b) => a - b);
  const late = times[Math.floor(times.length * 0.95)] ?? Number.NaN;
  const name = `history: the last 24 hours while ${FLOW_RATE} queries/s arrive, 95th percentile`;
  return amountRow(name, late, 'ms', BAR_MS);
}
