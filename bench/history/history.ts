// `npm run bench -- history`: 20,000,000 generated queries of 90 days in the real program: response times of
// the log and the statistics, the cost in disk, memory and CPU, and the effect on DNS.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { missingPackages, startFloor } from '../dns/peers.ts';
import { isBlocked, untilAnswered } from '../dns/question.ts';
import { startSluice, type Sluice } from '../dns/sluice.ts';
import { dropLists, subscribe } from '../policy/api.ts';
import { blockedName, writeList } from '../policy/names.ts';
import { residentMegabytes } from '../process-figures.ts';
import type { Programs } from '../programs.ts';
import { amountRow, type Row } from '../report.ts';
import { firstRows, flowRow } from './day.ts';
import { latenessRow, storedRows } from './load.ts';
import { makeHistory, QUERIES, type MadeHistory } from './made.ts';
import { questionRows } from './questions.ts';
import { readersRow } from './readers.ts';
import { simulationRow } from './simulation.ts';

const BLOCKED = 1_000_000;
const TTL_SECONDS = 86_400;
const REST_MS = 15_000;

export async function historyCase(programs: Programs): Promise<readonly Row[]> {
  const missing = await missingPackages();
  const measured = `not measured: apt-get install ${missing.join(' ')}`;
  if (missing.length > 0) return [{ name: 'history', measured, bar: '-', verdict: '-' }];
  const made = await makeHistory();
  const floor = await startFloor(TTL_SECONDS);
  try {
    const first = await firstRows(programs.bundle, made, floor.port);
    const { folder } = made;
    const sluice = await startSluice(programs.bundle, { upstreamPort: floor.port, workers: 1, folder });
    try {
      return [...first, ...(await rowsOf(sluice, made))];
    } finally {
      await sluice.stop();
    }
  } finally {
    await floor.stop();
  }
}

async function rowsOf(sluice: Sluice, made: MadeHistory): Promise<readonly Row[]> {
  await dropLists(sluice);
  await subscribe(sluice, writeList(BLOCKED));
  await untilAnswered(sluice.port, blockedName(BLOCKED - 1), isBlocked);
  const questions = await questionRows(sluice, made);
  await sleep(REST_MS);
  const memory = residentMegabytes(sluice.pid);
  return [
    ...questions,
    amountRow('history: disk per stored query', diskBytes(made.folder) / QUERIES, 'bytes', 30),
    amountRow('history: resident, with 1,000,000 blocked names', memory, 'MB', 300),
    await simulationRow(sluice, made),
    ...(await storedRows(sluice, made)),
    await flowRow(sluice, made),
    await readersRow(sluice, made),
    await latenessRow(sluice, made),
  ];
}

/** The size of all history files in the data folder. */
function diskBytes(folder: string): number {
  const data = join(folder, 'data');
  const files = readdirSync(data).filter((name) => name.startsWith('history'));
  return files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}
