// How long requests wait when the api thread is replaced by force: from the signal that replaces all threads
// to the next reply on a new connection.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Programs } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { median } from './rounds.ts';
import { startService, type Service } from './service.ts';
import { newFolder } from './workshop.ts';

const BAR_SECONDS = 2;
const ROUNDS = 5;
const MAX_TRIES = 2_000;
const TRY_EVERY_MS = 5;

export async function recoveryCase({ bundle }: Programs): Promise<readonly Row[]> {
  const service = await startService(bundle, newFolder('recovery'));
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await replaceThreads(service));
    return [amountRow('api thread replaced by force until the next reply', median(times), 's', BAR_SECONDS)];
  } finally {
    await service.stop();
  }
}

/** Seconds until the new thread replies. */
async function replaceThreads(service: Service): Promise<number> {
  const old = await threadRestarts(service);
  const startedMs = performance.now();
  process.kill(service.pid, 'SIGUSR2');
  for (let count = 0; count < MAX_TRIES; count++) {
    const now = await threadRestarts(service).catch(() => undefined);
    if (now !== undefined && now > old) return (performance.now() - startedMs) / 1_000;
    await sleep(TRY_EVERY_MS);
  }
  throw new Error('The api thread did not start again: see the log of the service.');
}

async function threadRestarts({ url }: Service): Promise<number> {
  const reply = await fetch(`${url}/api/status`, { headers: { connection: 'close' } });
  // Our own service, whose status has this shape; the api thread comes first.
  const { status } = (await reply.json()) as { status: { threads: readonly { restarts: number }[] } };
  return status.threads[0]?.restarts ?? Number.NaN;
}
