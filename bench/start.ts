// From the start of the launcher to the first DNS answer: the very first start, which creates database and
// certificate and has no compile cache, and later starts. CPU time is shown too, because it is more reliable
// on a busy machine.

import type { Programs } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { median } from './rounds.ts';
import { startWhole, type WholeService } from './whole-service.ts';
import { newFolder } from './workshop.ts';

const FIRST_BAR_SECONDS = 2;
const LATER_BAR_SECONDS = 0.8;
const REPLY_BAR_SECONDS = 1;
const FIRST_ROUNDS = 5;
const LATER_ROUNDS = 9;

export async function startCase({ bundle }: Programs): Promise<readonly Row[]> {
  const first: WholeService[] = [];
  for (let round = 0; round < FIRST_ROUNDS; round++) first.push(await oneStart(bundle, newFolder('start')));
  const folder = newFolder('start');
  // The second start still adds code to the compile cache.
  await oneStart(bundle, folder);
  await oneStart(bundle, folder);
  const later: WholeService[] = [];
  for (let round = 0; round < LATER_ROUNDS; round++) later.push(await oneStart(bundle, folder));
  return [
    answerRow('first start to first DNS answer', first, FIRST_BAR_SECONDS),
    answerRow('later start to first DNS answer', later, LATER_BAR_SECONDS),
    amountRow(
      'later start to first HTTP reply',
      median(later.map(({ toReplySeconds }) => toReplySeconds)),
      's',
      REPLY_BAR_SECONDS,
    ),
  ];
}

async function oneStart(launcher: string, folder: string): Promise<WholeService> {
  const service = await startWhole(launcher, folder);
  await service.stop();
  return service;
}

function answerRow(name: string, starts: readonly WholeService[], bar: number): Row {
  const row = amountRow(name, median(starts.map(({ toAnswerSeconds }) => toAnswerSeconds)), 's', bar);
  const cpu = median(starts.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2);
  return { ...row, measured: `${row.measured} (${cpu} s CPU)` };
}
