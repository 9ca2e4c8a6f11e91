// The daily copies of the database: where they lie and which are kept. A copy is named by its day, so a
// second one on the same day replaces nothing. Which one is newer is told by a number in each, and not by the
// day: a clock that was ahead for a while would else have its copies preferred for years. The number stands
// in the file's header (`application_id`, https://sqlite.org/fileformat2.html), where nobody else reads it.

import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#contract';
import { copyFacts } from './copy-facts.ts';
import { dropSeal } from './file-seal.ts';
import { copiesToSpare } from './spared-copies.ts';

export interface Copy {
  readonly path: string;
  /** YYYY-MM-DD */
  readonly date: string;
  /** Each has a greater one than those that were made before it; 0 in copies of earlier versions. */
  readonly number: number;
}

const pattern = /^sluice-(\d{4}-\d{2}-\d{2})\.db$/;

export const copiesDir = (dataDir: string): string => join(dataDir, 'copies');

export const copyPath = (dataDir: string, date: string): string =>
  join(copiesDir(dataDir), `sluice-${date}.db`);

const magic = 'SQLite format 3\0';
const numberAt = 68;
const headerBytes = 100;
const maxNumber = 0x7fff_ffff;

/** 0 too when it is no database, or cannot be read: one bad copy must not keep us from the others. */
const readNumber = (path: string): number => {
  let descriptor: number | undefined;
  try {
    const header = Buffer.alloc(headerBytes);
    descriptor = openSync(path, 'r');
    readSync(descriptor, header, 0, headerBytes, 0);
    return header.toString('latin1', 0, magic.length) === magic ? header.readInt32BE(numberAt) : 0;
  } catch {
    return 0;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/** What gives an open copy its number. */
export const numbering = (number: number): string => `pragma application_id = ${number}`;

/** 0 where there is no copy. */
export const lastNumber = (dataDir: string): number => listCopies(dataDir)[0]?.number ?? 0;

export const nextNumber = (dataDir: string): number => Math.min(lastNumber(dataDir) + 1, maxNumber);

export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Newest first. */
export const listCopies = (dataDir: string): readonly Copy[] => {
  const dir = copiesDir(dataDir);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .flatMap((name) => {
      const date = pattern.exec(name)?.[1];
      const path = join(dir, name);
      return date === undefined ? [] : [{ path, date, number: readNumber(path) }];
    })
    .toSorted((a, b) => b.number - a.number || b.date.localeCompare(a.date));
};

/**
 * Drops what is beyond those that are kept, and what a copying that ended in the middle has left. Gives the
 * days of older copies that are spared. `losses` has the number of the last copy before each loss that no
 * person has acknowledged yet.
 */
export function dropOldCopies(dataDir: string, losses: readonly number[]): readonly string[] {
  for (const name of readdirSync(copiesDir(dataDir))) {
    if (name.endsWith('.making')) rmSync(join(copiesDir(dataDir), name), { force: true });
  }
  const all = listCopies(dataDir);
  const old = all.slice(limits.databaseCopies);
  const spared = old.length === 0 ? [] : copiesToSpare(all.slice(0, limits.databaseCopies), old, losses);
  for (const copy of old) {
    if (spared.includes(copy.path)) continue;
    rmSync(copy.path, { force: true, recursive: true });
    dropSeal(copy.path);
  }
  return old.filter(({ path }) => spared.includes(path)).map(({ date }) => date);
}

/** The days of those that cannot be restored. */
export function damagedCopies(dataDir: string): readonly string[] {
  return listCopies(dataDir).flatMap(({ path, date }) => (copyFacts(path, true) === undefined ? [date] : []));
}

/** The newest copy's file, if there is one. */
export const newestCopyPath = (dataDir: string): string | undefined => listCopies(dataDir)[0]?.path;
