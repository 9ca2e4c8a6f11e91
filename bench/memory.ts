// The private memory of the service with DNS on (its own pages and its part of shared memory;
// `ownMegabytes`), empty and with a million names: after the first start, after load and rest, and after a
// later start. The resident size is shown too; it includes file pages that the kernel may drop.

import { setTimeout as sleep } from 'node:timers/promises';

import { firstAnswer, isBlocked, untilAnswered } from './dns/question.ts';
import { dropLists, subscribe } from './policy/api.ts';
import { blockedName, writeList } from './policy/names.ts';
import { ownMegabytes, residentMegabytes } from './process-figures.ts';
import type { Programs } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { median } from './rounds.ts';
import { startWhole, type WholeService } from './whole-service.ts';
import { newFolder } from './workshop.ts';

const EMPTY_BAR_MEGABYTES = 85;
const MILLION_BAR_MEGABYTES = 110;
const MILLION = 1_000_000;
const PROCESSES = 3;
const IDLE_MS = 10_000;
const REQUESTS = 200;
const REST_MS = 15_000;
const PATHS = ['/api/groups', '/api/config', '/api/status', '/api/groups/Default', '/api/docs/openapi.json'];

type Figure = { readonly own: number; readonly resident: number };
type Figures = Readonly<Record<'first' | 'worked' | 'later', Figure>>;

export async function memoryCase({ bundle }: Programs): Promise<readonly Row[]> {
  const empty = await figuresOf(bundle, () => Promise.resolve());
  const file = writeList(MILLION);
  const million = await figuresOf(bundle, (service) => useList(service, file));
  return [
    ...rowsOf('empty', empty, EMPTY_BAR_MEGABYTES),
    ...rowsOf('1,000,000 names', million, MILLION_BAR_MEGABYTES),
  ];
}

function rowsOf(what: string, all: readonly Figures[], bar: number): readonly Row[] {
  const idle = `${IDLE_MS / 1000} s`;
  const worked = `after ${REQUESTS} requests and queries, and ${REST_MS / 1000} s`;
  const row = (when: string, which: keyof Figures): Row => {
    const own = median(all.map((figures) => figures[which].own));
    const resident = median(all.map((figures) => figures[which].resident)).toFixed(0);
    const base = amountRow(`memory, ${what}: ${when}`, own, 'MB', bar);
    return { ...base, measured: `${base.measured} (${resident} MB resident)` };
  };
  return [
    row(`${idle} after the first start`, 'first'),
    row(worked, 'worked'),
    row(`${idle} after a later start`, 'later'),
  ];
}

function figuresOf(
  launcher: string,
  prepare: (service: WholeService) => Promise<void>,
): Promise<readonly Figures[]> {
  const one = async (): Promise<Figures> => {
    const folder = newFolder('memory');
    const beginner = await startWhole(launcher, folder);
    await prepare(beginner);
    const first = await figureAfter(beginner, IDLE_MS);
    await work(beginner);
    const worked = await figureAfter(beginner, REST_MS);
    await beginner.stop();
    const service = await startWhole(launcher, folder);
    const later = await figureAfter(service, IDLE_MS);
    await service.stop();
    return { first, worked, later };
  };
  return Promise.all(Array.from({ length: PROCESSES }, one));
}

async function figureAfter({ pid }: WholeService, restMs: number): Promise<Figure> {
  await sleep(restMs);
  return { own: ownMegabytes(pid), resident: residentMegabytes(pid) };
}

async function useList(service: WholeService, file: string): Promise<void> {
  await dropLists(service);
  await subscribe(service, file);
  await untilAnswered(service.dnsPort, blockedName(MILLION - 1), isBlocked);
}

async function work({ url, dnsPort }: WholeService): Promise<void> {
  for (let index = 0; index < REQUESTS; index++) {
    const path = PATHS[index % PATHS.length] ?? '/';
    await (await fetch(`${url}${path}`)).arrayBuffer();
    await firstAnswer(dnsPort);
  }
}
