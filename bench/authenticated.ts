// The cost of authentication: the same GET with a session, and on a service without a password, which checks
// no credential. It compares the CPU time of a request; both services run from the bundle at the same time.

import autocannon from 'autocannon';

import { cpuSeconds } from './process-figures.ts';
import type { Programs } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { inRounds, median } from './rounds.ts';
import { startService, type Service } from './service.ts';
import { newFolder } from './workshop.ts';

const BAR_PERCENT = 15;
const ROUNDS = 9;
const CONNECTIONS = 20;
const ROUND_SECONDS = 2;
const PASSWORD = 'a password for the benchmark';

type Target = { readonly service: Service; readonly headers: Record<string, string> };

export async function authenticatedCase(programs: Programs): Promise<readonly Row[]> {
  const open = await startService(programs.bundle, newFolder('open'));
  const closed = await startService(programs.bundle, newFolder('closed'), PASSWORD);
  const targets: Record<'open' | 'closed', Target> = {
    open: { service: open, headers: {} },
    closed: { service: closed, headers: { 'X-SVC-SID': await sidOf(closed) } },
  };
  const names = ['open', 'closed'] as const;
  for (const name of names) await cpuOfRequest(targets[name]);
  const found = await inRounds(ROUNDS, names, (name) => cpuOfRequest(targets[name]));
  await Promise.all([open.stop(), closed.stop()]);
  const [without, withSession] = names.map((name) => median(found.get(name) ?? []));
  const more = ((withSession ?? Number.NaN) / (without ?? Number.NaN) - 1) * 100;
  const detail = `${withSession?.toFixed(1)} for ${without?.toFixed(1)} us`;
  return [amountRow(`authenticated GET: additional CPU (${detail})`, more, '%', BAR_PERCENT)];
}

async function sidOf({ url }: Service): Promise<string> {
  const reply = await fetch(`${url}/api/auth`, {
    method: 'POST',
    body: JSON.stringify({ password: PASSWORD }),
  });
  // Our own service, whose login replies have this shape.
  const { session } = (await reply.json()) as { session: { sid: string } };
  return session.sid;
}

async function cpuOfRequest({ service, headers }: Target): Promise<number> {
  const before = cpuSeconds(service.pid);
  const url = `${service.url}/api/groups`;
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: ROUND_SECONDS });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url} failed ${bad} of ${result.requests.total} requests.`);
  return ((cpuSeconds(service.pid) - before) / result.requests.total) * 1e6;
}
