// Resident memory of the whole process with all threads idle: some time after the very first start, which
// makes database and certificate, some time after a later one, and again when it has done some work and
// rested. The last look comes after the care of the database has run once in its own thread, which leaves
// its traces too. The sources are measured for comparison; what people run is the bundle.

import { setTimeout as sleep } from 'node:timers/promises';

import { residentMegabytes } from './process-figures.ts';
import type { Programs } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { median } from './rounds.ts';
import { startService, type Service } from './service.ts';
import { newFolder } from './workshop.ts';

const BAR_MEGABYTES = 120;
const PROCESSES = 3;
const IDLE_MS = 10_000;
const REQUESTS = 200;
const REST_MS = 15_000;
const PATHS = ['/api/groups', '/api/config', '/api/status', '/api/groups/Default', '/api/docs/openapi.json'];

type Figures = { readonly first: number; readonly idle: number; readonly worked: number };

export async function memoryCase(programs: Programs): Promise<readonly Row[]> {
  const bundle = await Promise.all(Array.from({ length: PROCESSES }, () => figuresOf(programs.bundle)));
  const sources = await figuresOf(programs.sources);
  const after = `${IDLE_MS / 1000} s after`;
  const worked = `after ${REQUESTS} requests and ${REST_MS / 1000} s`;
  return [
    row(`memory, bundle: ${after} the very first start`, bundle, 'first', BAR_MEGABYTES),
    row(`memory, bundle: ${after} a later start`, bundle, 'idle', BAR_MEGABYTES),
    row(`memory, bundle: ${worked}`, bundle, 'worked', BAR_MEGABYTES),
    row(`memory, sources: ${worked}`, [sources], 'worked'),
  ];
}

function row(name: string, all: readonly Figures[], which: keyof Figures, bar?: number): Row {
  return amountRow(name, median(all.map((figures) => figures[which])), 'MB', bar);
}

async function figuresOf(launcher: string): Promise<Figures> {
  const dataDir = newFolder('memory');
  const beginner = await startService(launcher, dataDir);
  const first = await idleMegabytes(beginner, IDLE_MS);
  await beginner.stop();
  const service = await startService(launcher, dataDir);
  const idle = await idleMegabytes(service, IDLE_MS);
  await work(service);
  const worked = await idleMegabytes(service, REST_MS);
  await service.stop();
  return { first, idle, worked };
}

async function idleMegabytes({ pid }: Service, restMs: number): Promise<number> {
  await sleep(restMs);
  return residentMegabytes(pid);
}

async function work({ url }: Service): Promise<void> {
  for (let index = 0; index < REQUESTS; index++) {
    const path = PATHS[index % PATHS.length] ?? '/';
    await (await fetch(`${url}${path}`)).arrayBuffer();
  }
}
