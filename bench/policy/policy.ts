// `npm run bench -- policy`: the cost of one and ten million blocked names in time, memory and latency,
// compared with bars and with dnsmasq with the same names.

import { missingPackages, startFloor } from '../dns/peers.ts';
import { isBlocked, untilAnswered } from '../dns/question.ts';
import { startSluice, type Sluice } from '../dns/sluice.ts';
import type { Programs } from '../programs.ts';
import type { Row } from '../report.ts';
import { newFolder } from '../workshop.ts';
import { dropLists, subscribe } from './api.ts';
import { blockedRows } from './blocked.ts';
import { decideRows } from './decide.ts';
import { latenessRow, ruleRow, startRow } from './live.ts';
import { blockedName, writeList } from './names.ts';
import { rebuildRows } from './rebuild.ts';

const MILLION = 1_000_000;
const MANY = 10 * MILLION;
const TTL_SECONDS = 86_400;

export async function policyCase(programs: Programs): Promise<readonly Row[]> {
  const missing = await missingPackages();
  const measured = `not measured: apt-get install ${missing.join(' ')}`;
  if (missing.length > 0) return [{ name: 'policy', measured, bar: '-', verdict: '-' }];
  const floor = await startFloor(TTL_SECONDS);
  try {
    return [
      ...(await decideRows(MILLION)),
      ...(await millionRows(programs.bundle, floor)),
      ...(await manyRows(programs.bundle, floor.port)),
    ];
  } finally {
    await floor.stop();
  }
}

async function millionRows(launcher: string, floor: Awaited<ReturnType<typeof startFloor>>): Promise<Row[]> {
  const [folder, file] = [newFolder('sluice'), writeList(MILLION)];
  const sluice = await startSluice(launcher, { upstreamPort: floor.port, workers: 1, folder });
  const rows: Row[] = [];
  try {
    await subscribed(sluice, file, MILLION);
    const bars = { rounds: 5, seconds: 2, peak: 1.6, restMegabytes: 175 };
    rows.push(...(await rebuildRows(sluice, file, '1,000,000', bars)));
    rows.push(...(await blockedRows(sluice, floor, MILLION)));
    rows.push(await ruleRow(sluice), await latenessRow(sluice, file, MILLION));
  } finally {
    await sluice.stop();
  }
  return [...rows, await startRow(launcher, folder, floor.port)];
}

async function manyRows(launcher: string, upstreamPort: number): Promise<readonly Row[]> {
  const file = writeList(MANY);
  const sluice = await startSluice(launcher, { upstreamPort, workers: 1 });
  try {
    await subscribed(sluice, file, MANY);
    return await rebuildRows(sluice, file, '10,000,000', { rounds: 1, seconds: 25, peak: 2 });
  } finally {
    await sluice.stop();
  }
}

/** Waits until its last name is blocked. */
async function subscribed(sluice: Sluice, file: string, count: number): Promise<void> {
  await dropLists(sluice);
  await subscribe(sluice, file);
  await untilAnswered(sluice.port, blockedName(count - 1), isBlocked);
}
