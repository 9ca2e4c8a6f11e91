// The daily copies of the database: where they lie and which are kept. A copy is named by its day, so a
// second one on the same day replaces nothing.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#contract';

export interface Copy {
  readonly path: string;
  /** YYYY-MM-DD */
  readonly date: string;
}

const pattern = /^sluice-(\d{4}-\d{2}-\d{2})\.db$/;

export const copiesDir = (dataDir: string): string => join(dataDir, 'copies');

export const copyPath = (dataDir: string, date: string): string =>
  join(copiesDir(dataDir), `sluice-${date}.db`);

export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Newest first. */
export const listCopies = (dataDir: string): readonly Copy[] => {
  const dir = copiesDir(dataDir);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .flatMap((name) => {
      const date = pattern.exec(name)?.[1];
      return date === undefined ? [] : [{ path: join(dir, name), date }];
    })
    .toSorted((a, b) => b.date.localeCompare(a.date));
};

/** Beyond those that are kept, and what a copying that ended in the middle has left. */
export const dropOldCopies = (dataDir: string): void => {
  for (const name of readdirSync(copiesDir(dataDir))) {
    if (name.endsWith('.making')) rmSync(join(copiesDir(dataDir), name), { force: true });
  }
  for (const copy of listCopies(dataDir).slice(limits.databaseCopies)) rmSync(copy.path, { force: true });
};

/** The newest copy's file, if there is one. */
export const newestCopyPath = (dataDir: string): string | undefined => listCopies(dataDir)[0]?.path;
