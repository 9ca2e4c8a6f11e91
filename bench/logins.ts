// The timing of logins. A wrong password must take as long as the right one, otherwise the response time
// reveals which it was; and a flood of wrong passwords must not delay other requests. Both are times, so they
// are measured here and not asserted by a test.

import { request } from 'node:http';

import type { Programs } from './programs.ts';
import { amountRow, factorRow, type Row } from './report.ts';
import { inRounds, median } from './rounds.ts';
import { startService, type Service } from './service.ts';
import { newFolder } from './workshop.ts';

const FACTOR_BAR = 2;
const HEALTH_BAR_MS = 200;
const ROUNDS = 12;
const FLOOD_LOGINS = 30;
const HEALTH_REQUESTS = 12;
const PASSWORD = 'a password for the benchmark';
const TEXTS = { right: PASSWORD, wrong: 'wrong', long: 'w'.repeat(1_000) };
const KINDS = ['right', 'wrong', 'long'] as const;

export async function loginsCase({ bundle }: Programs): Promise<readonly Row[]> {
  const service = await startService(bundle, newFolder('logins'), PASSWORD);
  try {
    return [await kindsRow(service), await floodRow(service)];
  } finally {
    await service.stop();
  }
}

async function kindsRow(service: Service): Promise<Row> {
  let logins = 0;
  const found = await inRounds(ROUNDS, KINDS, (kind) =>
    // Each from another network, so that no limit on failures is reached.
    elapsedMs(() => login(service, TEXTS[kind], `127.1.${++logins}.1`)),
  );
  const times = KINDS.map((kind) => median(found.get(kind) ?? []));
  const factor = Math.max(...times) / Math.min(...times);
  const detail = KINDS.map((kind, index) => `${kind} ${times[index]?.toFixed(1)} ms`).join(', ');
  return factorRow('logins: slowest kind of password against the fastest', factor, detail, FACTOR_BAR);
}

async function floodRow(service: Service): Promise<Row> {
  const flood = Array.from({ length: FLOOD_LOGINS }, (_, index) =>
    login(service, TEXTS.wrong, `127.2.${index}.1`),
  );
  const times: number[] = [];
  for (let count = 0; count < HEALTH_REQUESTS; count++) {
    times.push(await elapsedMs(() => fetch(`${service.url}/api/health`)));
  }
  await Promise.all(flood);
  return amountRow(
    'logins: /api/health during a flood of wrong passwords',
    median(times),
    'ms',
    HEALTH_BAR_MS,
  );
}

/** From an address of the loopback network, on a new connection. */
function login({ url }: Service, password: string, localAddress: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = request(`${url}/api/auth`, { method: 'POST', localAddress, agent: false }, (reply) => {
    reply.resume().on('end', resolve);
  });
  sent.on('error', reject).end(JSON.stringify({ password }));
  return promise;
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
