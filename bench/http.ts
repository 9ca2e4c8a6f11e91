// GET of a collection of 100 entities, compared with a route of the bare framework that returns the same
// bytes: the cost of guard, authentication, validation, envelope and headers. Requests per second on a small
// machine depend on the load generator as much as on the server, so the CPU time per request is compared too.

import autocannon from 'autocannon';

import { startBareServer } from './bare-server.ts';
import { cpuSeconds } from './process-figures.ts';
import type { Programs } from './programs.ts';
import { ratioRow, type Row } from './report.ts';
import { inRounds, median } from './rounds.ts';
import { startService, type Service } from './service.ts';
import { newFolder } from './workshop.ts';

const BAR = 0.6;
const ROUNDS = 11;
const CONNECTIONS = 20;
const WARM_UP_SECONDS = 2;
const ROUND_SECONDS = 1.5;
/** Plus the default group. */
const GROUPS = Array.from({ length: 99 }, (_, index) => `group ${index}`);

type Load = { readonly requestsPerSecond: number; readonly cpuMicroseconds: number };
type Target = Pick<Service, 'pid' | 'url' | 'stop'>;

export async function httpCase(programs: Programs): Promise<readonly Row[]> {
  const own = await filledService(programs.bundle);
  const bare = await startBareServer(await groupsOf(own));
  const targets = { bare, own };
  const names = ['bare', 'own'] as const;
  for (const name of names) await load(targets[name], WARM_UP_SECONDS);
  const found = await inRounds(ROUNDS, names, (name) => load(targets[name], ROUND_SECONDS));
  for (const name of names) await targets[name].stop();
  return rowsOf(found.get('bare') ?? [], found.get('own') ?? []);
}

function rowsOf(bare: readonly Load[], own: readonly Load[]): Row[] {
  const rate = (loads: readonly Load[]) => median(loads.map(({ requestsPerSecond }) => requestsPerSecond));
  const cpu = (loads: readonly Load[]) => median(loads.map(({ cpuMicroseconds }) => cpuMicroseconds));
  const rates = `${rate(own).toFixed(0)} of ${rate(bare).toFixed(0)}/s`;
  const costs = `${cpu(own).toFixed(1)} for ${cpu(bare).toFixed(1)} us`;
  return [
    ratioRow('http: requests/s, bare fastify = 100 %', rate(own) / rate(bare), rates, BAR),
    ratioRow('http: CPU per request, bare / own', cpu(bare) / cpu(own), costs, BAR),
  ];
}

async function load({ pid, url }: Target, duration: number): Promise<Load> {
  const before = cpuSeconds(pid);
  const result = await autocannon({ url: `${url}/api/groups`, connections: CONNECTIONS, duration });
  const cpu = cpuSeconds(pid) - before;
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url} failed ${bad} of ${result.requests.total} requests.`);
  const { total } = result.requests;
  return { requestsPerSecond: total / result.duration, cpuMicroseconds: (cpu / total) * 1e6 };
}

async function filledService(launcher: string): Promise<Service> {
  const service = await startService(launcher, newFolder('http'));
  const body = JSON.stringify({ name: GROUPS });
  const { status } = await fetch(`${service.url}/api/groups`, { method: 'POST', body });
  if (status !== 201) throw new Error(`The groups could not be created: status ${status}.`);
  return service;
}

async function groupsOf({ url }: Service): Promise<string> {
  return (await fetch(`${url}/api/groups`)).text();
}
