// `npm run bench -- soak`: the memory of the service under sustained load. Every query has a new name, so
// cache and history grow as fast as possible until they reach their limits. The result is the peak of the
// second half: by then all limits are reached, and further growth is a leak.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ownMegabytes, residentMegabytes } from '../process-figures.ts';
import type { Programs } from '../programs.ts';
import { amountRow, type Row } from '../report.ts';
import { newFolder } from '../workshop.ts';
import { underLoad } from './load.ts';
import { startFloor } from './peers.ts';
import { startSluice } from './sluice.ts';

const BAR_MEGABYTES = 220;
const SECONDS = 600;
const RATE = 5_000;
const LOOK_EVERY_MS = 5_000;
const TTL_SECONDS = 60;

type Figure = { readonly own: number; readonly resident: number };

export async function soakCase({ bundle }: Programs): Promise<readonly Row[]> {
  const floor = await startFloor(TTL_SECONDS);
  const sluice = await startSluice(bundle, { upstreamPort: floor.port, workers: 1 });
  try {
    const watch = watchMemory(sluice.pid);
    const load = { port: sluice.port, names: writeNewNames(), seconds: SECONDS, rate: RATE };
    const { answered } = await underLoad(load, sluice.cpuSeconds);
    return [row(await watch.end(), answered)];
  } finally {
    await Promise.all([sluice.stop(), floor.stop()]);
  }
}

function row(figures: readonly Figure[], answered: number): Row {
  const half = figures.slice(Math.floor(figures.length / 2));
  const most = (which: keyof Figure): number => Math.max(...half.map((figure) => figure[which]));
  const name = `memory, most in the second half of ${answered} queries with new names, ${RATE}/s`;
  const base = amountRow(name, most('own'), 'MB', BAR_MEGABYTES);
  return { ...base, measured: `${base.measured} (${most('resident').toFixed(0)} MB resident)` };
}

function watchMemory(pid: number): { readonly end: () => Promise<readonly Figure[]> } {
  const figures: Figure[] = [];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      figures.push({ own: ownMegabytes(pid), resident: residentMegabytes(pid) });
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await watching;
      return figures;
    },
  };
}

function writeNewNames(): string {
  const path = join(newFolder('names'), 'new');
  const file = openSync(path, 'w');
  for (let second = 0; second < SECONDS; second++) {
    const names = Array.from({ length: RATE }, (_, index) => `n${second}-${index}.zone${index}.example A\n`);
    writeSync(file, names.join(''));
  }
  closeSync(file);
  return path;
}
