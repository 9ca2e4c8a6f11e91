// Which old copies are kept beside the newest ones, because they may hold what was lost: one that holds more
// than all of them, which may be copies of the loss. And, until a person has acknowledged a loss, those from
// before it: soon the numbers of later changes pass the number that such a copy ends with, and it looks old.

import { limits } from '#contract';
import { copyFacts, type CopyFacts } from './copy-facts.ts';

interface OneCopy {
  readonly path: string;
  readonly number: number;
}
type SoundCopy = OneCopy & CopyFacts;

/**
 * An old copy that uses so much more than the whole of a newer one holds more: changes do not make the file
 * smaller, because SQLite reuses its pages. Only to build it anew does, which drops the free ones.
 */
const muchLarger = 2;

/** Their paths. `losses` has the number of the last copy before each loss. Of too many, the fullest stay. */
export function copiesToSpare(
  newest: readonly OneCopy[],
  old: readonly OneCopy[],
  losses: readonly number[],
): readonly string[] {
  const kept = newest.flatMap(soundOnly);
  const older = old.flatMap(soundOnly);
  const wanted = new Set([
    fullest(older.filter((copy) => holdsMore(copy, kept))),
    ...losses.flatMap((last) => bestBefore([...kept, ...older], last)),
  ]);
  const spared = older.filter((copy) => wanted.has(copy)).toSorted(byFullness);
  return spared.slice(0, limits.sparedCopies).map(({ path }) => path);
}

function soundOnly(copy: OneCopy): readonly SoundCopy[] {
  const facts = copyFacts(copy.path, true);
  return facts === undefined ? [] : [{ ...copy, ...facts }];
}

function holdsMore({ lastChange, usedBytes }: SoundCopy, others: readonly SoundCopy[]): boolean {
  const hasMoreChanges = others.every((other) => lastChange > other.lastChange);
  return hasMoreChanges || others.every((other) => usedBytes > muchLarger * other.bytes);
}

/** The newest, and the one with the most changes: after an earlier loss, these may be two. */
function bestBefore(all: readonly SoundCopy[], last: number): readonly (SoundCopy | undefined)[] {
  const before = all.filter(({ number }) => number <= last);
  return [before.toSorted((a, b) => b.number - a.number)[0], fullest(before)];
}

const fullest = (copies: readonly SoundCopy[]): SoundCopy | undefined => copies.toSorted(byFullness)[0];

const byFullness = (a: SoundCopy, b: SoundCopy): number => b.lastChange - a.lastChange;
