// `npm run bench -- dns`: CPU time of the dns workers per answered UDP query, compared with the C floor,
// dnsmasq and unbound in interleaved rounds; then latency, two workers, idle CPU and memory. CPU time per
// query is much more stable than queries per second, because on few cores the load generator is often the
// bottleneck.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { residentMegabytes } from '../process-figures.ts';
import type { Programs } from '../programs.ts';
import { amountRow, factorRow, type Row } from '../report.ts';
import { inRounds, median } from '../rounds.ts';
import { newFolder } from '../workshop.ts';
import { lateness99, underLoad, type Load, type Outcome } from './load.ts';
import { missingPackages, startDnsmasq, startFloor, startUnbound, type Peer } from './peers.ts';
import { startSluice, type Sluice } from './sluice.ts';

const ROUNDS = 5;
const SECONDS = 2;
const NAMES = 10_000;
const IDLE_SECONDS = 60;
const REST_MS = 10_000;
const TTL_SECONDS = 86_400;

function hostOf(index: number): string {
  return `h${index}.home.example`;
}

export async function dnsCase(programs: Programs): Promise<readonly Row[]> {
  const missing = await missingPackages();
  if (missing.length > 0)
    return [
      { name: 'dns', measured: `not measured: apt-get install ${missing.join(' ')}`, bar: '-', verdict: '-' },
    ];
  const files = writeNames();
  const floor = await startFloor(TTL_SECONDS);
  const hosts = Array.from({ length: NAMES }, (_, index) => `192.0.2.${index % 250} ${hostOf(index)}`);
  const sluice = await startSluice(programs.bundle, { upstreamPort: floor.port, workers: 1, hosts });
  const peers = { dnsmasq: await startDnsmasq(floor.port), unbound: await startUnbound(floor.port) };
  const all = { floor, sluice, ...peers };
  try {
    const cached = await cachedRounds(all, files.cached);
    return [
      ...cachedRows(cached),
      ...(await localRows(all, files.local)),
      ...(await forwardedRows(all)),
      ...(await latenessRows(all, files.cached, cached)),
      ...(await workerRows(programs, floor, files.cached)),
      ...(await idleRows(programs, floor)),
    ];
  } finally {
    await Promise.all(Object.values(all).map((one) => one.stop()));
  }
}

type All = Readonly<Record<'floor' | 'sluice' | 'dnsmasq' | 'unbound', Peer>>;
type Rounds = ReadonlyMap<string, readonly Outcome[]>;

function writeNames(): Readonly<Record<'cached' | 'local', string>> {
  const folder = newFolder('names');
  const write = (name: string, count: number, nameOf: (index: number) => string): string => {
    const path = join(folder, name);
    writeFileSync(path, Array.from({ length: count }, (_, index) => `${nameOf(index)} A\n`).join(''));
    return path;
  };
  return {
    cached: write('cached', NAMES, (index) => `b${index}.ads${index % 500}.example`),
    local: write('local', NAMES, hostOf),
  };
}

/** Each server is warmed up before the first round, so that every name is cached. */
async function cachedRounds(all: All, names: string): Promise<Rounds> {
  const contestants = ['floor', 'sluice', 'dnsmasq', 'unbound'] as const;
  for (const name of contestants) await measured(all[name], { names, seconds: SECONDS });
  return inRounds(ROUNDS, contestants, (name) => measured(all[name], { names, seconds: SECONDS }));
}

function measured(peer: Peer, load: Omit<Load, 'port'>): Promise<Outcome> {
  return underLoad({ ...load, port: peer.port }, peer.cpuSeconds);
}

function cost(rounds: Rounds, name: string): number {
  return median((rounds.get(name) ?? []).map(({ microseconds }) => microseconds));
}

function rate(rounds: Rounds, name: string): number {
  return median((rounds.get(name) ?? []).map(({ perSecond }) => perSecond));
}

function cachedRows(rounds: Rounds): readonly Row[] {
  return [
    amountRow('dns: the floor, CPU per query', cost(rounds, 'floor'), 'us'),
    against(rounds, 'dns: cached answer, CPU against the floor', 'floor', 2),
    against(rounds, 'dns: cached answer, CPU against dnsmasq', 'dnsmasq', 0.5),
    amountRow('dns: cached answer, CPU of unbound for comparison', cost(rounds, 'unbound'), 'us'),
    amountRow('dns: cached answers per second', rate(rounds, 'sluice') / 1000, 'thousand'),
  ];
}

function against(rounds: Rounds, name: string, other: string, atMost: number): Row {
  const [ours, theirs] = [cost(rounds, 'sluice'), cost(rounds, other)];
  return factorRow(name, ours / theirs, `${ours.toFixed(2)} us / ${theirs.toFixed(2)} us`, atMost);
}

async function localRows(all: All, names: string): Promise<readonly Row[]> {
  await measured(all.sluice, { names, seconds: SECONDS });
  const rounds = await inRounds(ROUNDS, ['floor', 'sluice'] as const, (name) =>
    measured(all[name], { names, seconds: SECONDS }),
  );
  return [against(rounds, 'dns: local record, CPU against the floor', 'floor', 2)];
}

/**
 * Every name is new in each round: dnsperf starts at the beginning of its file, so each round has its own
 * file.
 */
async function forwardedRows(all: All): Promise<readonly Row[]> {
  const folder = newFolder('fresh');
  let part = 0;
  const nextPart = (): string => {
    const path = join(folder, `part-${++part}`);
    writeFileSync(path, freshPart(part));
    return path;
  };
  const measure = (name: 'sluice' | 'dnsmasq'): Promise<Outcome> =>
    measured(all[name], { names: nextPart(), seconds: SECONDS, outstanding: 100 });
  const rounds = await inRounds(ROUNDS, ['sluice', 'dnsmasq'] as const, measure);
  return [
    against(rounds, 'dns: forwarded, every name new, CPU against dnsmasq', 'dnsmasq', 1.5),
    amountRow('dns: forwarded answers per second', rate(rounds, 'sluice') / 1000, 'thousand'),
  ];
}

function freshPart(part: number): string {
  return Array.from({ length: 400_000 }, (_, index) => `p${part}-${index}.z${index % 5000}.example A\n`).join(
    '',
  );
}

/** Both at half of the smaller maximum rate. */
async function latenessRows(all: All, names: string, cached: Rounds): Promise<readonly Row[]> {
  const half = Math.min(rate(cached, 'sluice'), rate(cached, 'unbound')) / 2;
  const rounds = await inRounds(ROUNDS, ['sluice', 'unbound'] as const, (name) =>
    lateness99({ names, seconds: SECONDS, rate: half, port: all[name].port }, 'here'),
  );
  const [ours, theirs] = [median(rounds.get('sluice') ?? []), median(rounds.get('unbound') ?? [])];
  const detail = `${ours.toFixed(2)} ms / ${theirs.toFixed(2)} ms at ${Math.round(half / 1000)},000/s`;
  return [factorRow('dns: p99 latency against unbound', ours / theirs, detail, 1.5)];
}

async function workerRows(programs: Programs, floor: Peer, names: string): Promise<readonly Row[]> {
  const start = (workers: number): Promise<Sluice> =>
    startSluice(programs.bundle, { upstreamPort: floor.port, workers });
  const both = { one: await start(1), two: await start(2) };
  try {
    for (const one of Object.values(both)) await measured(one, { names, seconds: SECONDS });
    const rounds = await inRounds(ROUNDS, ['one', 'two'] as const, (name) =>
      measured(both[name], { names, seconds: SECONDS }),
    );
    const [one, two] = [rate(rounds, 'one'), rate(rounds, 'two')];
    const detail = `${Math.round(two / 1000)},000/s / ${Math.round(one / 1000)},000/s`;
    return [factorRow('dns: two workers against one, queries per second', two / one, detail)];
  } finally {
    await Promise.all(Object.values(both).map((sluice) => sluice.stop()));
  }
}

async function idleRows(programs: Programs, floor: Peer): Promise<readonly Row[]> {
  const sluice = await startSluice(programs.bundle, { upstreamPort: floor.port, workers: 1 });
  try {
    await sleep(REST_MS);
    const memory = residentMegabytes(sluice.pid);
    const before = sluice.allCpuSeconds();
    await sleep(IDLE_SECONDS * 1000);
    const share = ((sluice.allCpuSeconds() - before) / IDLE_SECONDS) * 100;
    return [
      amountRow(`dns: idle CPU over ${IDLE_SECONDS} s`, share, '%', 0.5),
      amountRow('dns: resident memory, bundle, empty policy', memory, 'MB', 135),
    ];
  } finally {
    await sluice.stop();
  }
}
