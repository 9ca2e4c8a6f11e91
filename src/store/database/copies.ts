// The daily copies of the database: where they are and which are kept. A copy has the day in its name. Its
// age is not known by that day but by a number in the file: if the clock was ahead for a while, the copies of
// that time would seem to be the newest for years. The number is in the header of the file (`application_id`,
// https://sqlite.org/fileformat2.html), which no other code uses.

import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#contract';
import { copyFacts } from './copy-facts.ts';
import { dropSeal } from './file-seal.ts';
import { copiesToProtect } from './protected-copies.ts';

export interface Copy {
  readonly path: string;
  /** YYYY-MM-DD */
  readonly date: string;
  /** Increases with each copy; 0 in copies of earlier releases. */
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

/** 0 also when the file is not a database or cannot be read, so that a bad copy does not hide the others. */
function readNumber(path: string): number {
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
}

/** The statement that writes the number into a copy. */
export const numberStatement = (number: number): string => `pragma application_id = ${number}`;

/** 0 when there is no copy. */
export const lastNumber = (dataDir: string): number => listCopies(dataDir)[0]?.number ?? 0;

export const nextNumber = (dataDir: string): number => Math.min(lastNumber(dataDir) + 1, maxNumber);

export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Newest first. */
export function listCopies(dataDir: string): readonly Copy[] {
  const dir = copiesDir(dataDir);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .flatMap((name) => {
      const date = pattern.exec(name)?.[1];
      const path = join(dir, name);
      return date === undefined ? [] : [{ path, date, number: readNumber(path) }];
    })
    .toSorted((a, b) => b.number - a.number || b.date.localeCompare(a.date));
}

/**
 * Deletes old copies, and unfinished ones that a crash has left. Returns the days of older copies that are
 * protected. `losses` has the number of the last copy before each loss that no user has acknowledged yet.
 */
export function dropOldCopies(dataDir: string, losses: readonly number[]): readonly string[] {
  for (const name of readdirSync(copiesDir(dataDir))) {
    if (name.endsWith('.making')) rmSync(join(copiesDir(dataDir), name), { force: true });
  }
  const all = listCopies(dataDir);
  const old = all.slice(limits.databaseCopies);
  const newest = all.slice(0, limits.databaseCopies);
  const kept = old.length === 0 ? [] : copiesToProtect(newest, old, losses);
  for (const copy of old) {
    if (kept.includes(copy.path)) continue;
    rmSync(copy.path, { force: true, recursive: true });
    dropSeal(copy.path);
  }
  return old.filter(({ path }) => kept.includes(path)).map(({ date }) => date);
}

/** The days of copies that cannot be restored. */
export function damagedCopies(dataDir: string): readonly string[] {
  return listCopies(dataDir).flatMap(({ path, date }) => (copyFacts(path, true) === undefined ? [date] : []));
}

export const newestCopyPath = (dataDir: string): string | undefined => listCopies(dataDir)[0]?.path;
