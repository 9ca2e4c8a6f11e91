// From the start of the process to the first reply, with a database that is there and a warm compile cache:
// what a restart or an update costs.

import type { Programs, Shape } from './programs.ts';
import { SHAPES } from './programs.ts';
import { amountRow, type Row } from './report.ts';
import { inRounds, median } from './rounds.ts';
import { startService } from './service.ts';
import { newFolder } from './workshop.ts';

const BAR_SECONDS = 1;
const ROUNDS = 9;
/** The first makes the database and the certificate, the second loads what a usual start does. */
const STARTS_BEFORE = 2;

export async function startCase(programs: Programs): Promise<readonly Row[]> {
  const folders = { sources: newFolder('start'), bundle: newFolder('start') };
  const seconds = async (shape: Shape): Promise<number> => {
    const service = await startService(programs[shape], folders[shape]);
    await service.stop();
    return service.startMs / 1000;
  };
  await inRounds(STARTS_BEFORE, SHAPES, seconds);
  const found = await inRounds(ROUNDS, SHAPES, seconds);
  return SHAPES.map((shape) =>
    amountRow(`start to first reply, ${shape}`, median(found.get(shape) ?? []), 's', BAR_SECONDS),
  );
}
