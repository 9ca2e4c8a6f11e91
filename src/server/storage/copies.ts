// The daily copies of the database: where they lie and which are kept. A copy is named by its day, so a
// second one on the same day replaces nothing. Which one is newer is told by a number in each, and not by the
// day: a clock that was ahead for a while would else have its copies preferred for years. The number stands
// in the file's header (`application_id`, https://sqlite.org/fileformat2.html), where nobody else reads it.

import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#contract';
import { copyFacts } from './copy-facts.ts';
import { dropSeal } from './file-seal.ts';

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

export const nextNumber = (dataDir: string): number =>
  Math.min((listCopies(dataDir)[0]?.number ?? 0) + 1, maxNumber);

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
 * Drops what is beyond those that are kept, and what a copying that ended in the middle has left. One that
 * holds more than all that are kept is spared, and its day given: they may be copies of a loss.
 */
export function dropOldCopies(dataDir: string): string | undefined {
  for (const name of readdirSync(copiesDir(dataDir))) {
    if (name.endsWith('.making')) rmSync(join(copiesDir(dataDir), name), { force: true });
  }
  const all = listCopies(dataDir);
  const old = all.slice(limits.databaseCopies);
  const spared = mostIn(old, all.slice(0, limits.databaseCopies));
  for (const copy of old) {
    if (copy === spared) continue;
    rmSync(copy.path, { force: true, recursive: true });
    dropSeal(copy.path);
  }
  return spared?.date;
}

/** The days of those that cannot be restored. */
export function damagedCopies(dataDir: string): readonly string[] {
  return listCopies(dataDir).flatMap(({ path, date }) => (copyFacts(path, true) === undefined ? [date] : []));
}

/** So much larger, an old copy holds more. Changes do not make the file smaller: SQLite reuses its pages. */
const muchLarger = 2;

/** The best of the old ones, if it holds more than the newer ones. */
function mostIn(old: readonly Copy[], newer: readonly Copy[]): Copy | undefined {
  const worth = newer.map(({ path }) => copyFacts(path, false) ?? { lastChange: 0, bytes: 0 });
  const lastChange = Math.max(0, ...worth.map((facts) => facts.lastChange));
  const bytes = Math.max(0, ...worth.map((facts) => facts.bytes));
  const better = old.flatMap((copy) => {
    const facts = copyFacts(copy.path, true);
    const isBetter = facts && (facts.lastChange > lastChange || facts.bytes > muchLarger * bytes);
    return isBetter === true ? [{ copy, facts }] : [];
  });
  return better.toSorted((a, b) => b.facts.lastChange - a.facts.lastChange)[0]?.copy;
}

/** The newest copy's file, if there is one. */
export const newestCopyPath = (dataDir: string): string | undefined => listCopies(dataDir)[0]?.path;
