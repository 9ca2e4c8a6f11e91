// Selects the old copies that are kept in addition to the newest ones, because they may contain lost changes.
// The first is a copy that contains more than every newer copy: the newer ones may have been made after the
// loss. The others are the last copies before a loss, until a user has acknowledged it: after the loss, new
// changes soon get higher numbers than the changes in such a copy, so it would look outdated.

import { limits } from '#contract';
import { copyFacts, type CopyFacts } from './copy-facts.ts';

interface OneCopy {
  readonly path: string;
  readonly number: number;
}
type SoundCopy = OneCopy & CopyFacts;

/**
 * An old copy whose used pages are this many times larger than a whole newer copy contains more data. Changes
 * do not shrink the file, because SQLite reuses free pages. Only a rebuild does (`vacuum`), and it removes
 * nothing but the free pages.
 */
const muchLarger = 2;

/**
 * Returns their paths. `losses` has the number of the last copy before each loss. If there are too many,
 * those with the most changes are kept.
 */
export function copiesToProtect(
  newest: readonly OneCopy[],
  old: readonly OneCopy[],
  losses: readonly number[],
): readonly string[] {
  const kept = newest.flatMap(soundOnly);
  const older = old.flatMap(soundOnly);
  const wanted = new Set([
    withMostChanges(older.filter((copy) => containsMore(copy, kept))),
    ...losses.flatMap((last) => bestBefore([...kept, ...older], last)),
  ]);
  const candidates = older.filter((copy) => wanted.has(copy)).toSorted(byLastChange);
  return candidates.slice(0, limits.protectedCopies).map(({ path }) => path);
}

function soundOnly(copy: OneCopy): readonly SoundCopy[] {
  const facts = copyFacts(copy.path, true);
  return facts === undefined ? [] : [{ ...copy, ...facts }];
}

function containsMore({ lastChange, usedBytes }: SoundCopy, others: readonly SoundCopy[]): boolean {
  const hasMoreChanges = others.every((other) => lastChange > other.lastChange);
  return hasMoreChanges || others.every((other) => usedBytes > muchLarger * other.bytes);
}

/** The newest copy and the one with the most changes. After an earlier loss these may be different copies. */
function bestBefore(all: readonly SoundCopy[], last: number): readonly (SoundCopy | undefined)[] {
  const before = all.filter(({ number }) => number <= last);
  return [before.toSorted((a, b) => b.number - a.number)[0], withMostChanges(before)];
}

const withMostChanges = (copies: readonly SoundCopy[]): SoundCopy | undefined =>
  copies.toSorted(byLastChange)[0];

const byLastChange = (a: SoundCopy, b: SoundCopy): number => b.lastChange - a.lastChange;
