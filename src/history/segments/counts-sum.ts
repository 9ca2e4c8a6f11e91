// Adds up many encoded lists of counts, one range of numbers after the other. However many names there are,
// memory holds only the lists' bytes and the sums of one range. Several lanes (permitted, blocked) are added
// in the same pass.

import { type Counted, CountsCursor } from './counts.ts';

const rangeSize = 65_536;
const bucketSize = 4_096;
const none = new Float64Array(0);
/** One for each lane; all zeros between two ranges. */
const scratch = [new Float64Array(rangeSize), new Float64Array(rangeSize)] as const;

/** The lists that are added together. */
export type Lane = readonly Uint8Array[];
type Lanes = readonly [Lane] | readonly [Lane, Lane];
/** The sums of each lane; `firstId` is the number that their first entry stands for. */
type Visit = (firstId: number, length: number, first: Float64Array, second: Float64Array) => void;

/** Calls `visit` with the sums of each range that is not empty. */
function sumCounts(lanes: Lanes, visit: Visit): void {
  const cursors = lanes.map((lane) => lane.map((list) => new CountsCursor(list)));
  for (let first = nextRange(cursors); first >= 0; first = nextRange(cursors)) {
    let end = first;
    for (const [lane, ofLane] of cursors.entries())
      for (const cursor of ofLane) end = Math.max(end, addRange(cursor, scratch[lane] ?? none, first));
    visit(first, end - first, scratch[0], scratch[1]);
    for (const sums of scratch) sums.fill(0, 0, end - first);
  }
}

/** Returns where the last added bucket ends. */
function addRange(cursor: CountsCursor, sums: Float64Array, firstId: number): number {
  let end = firstId;
  while (cursor.bucket >= 0 && cursor.firstId < firstId + rangeSize) {
    cursor.addTo(sums, firstId);
    end = cursor.firstId + bucketSize;
    cursor.next();
  }
  return end;
}

function nextRange(cursors: readonly (readonly CountsCursor[])[]): number {
  let least = Infinity;
  for (const lane of cursors)
    for (const cursor of lane) if (cursor.bucket >= 0 && cursor.firstId < least) least = cursor.firstId;
  return least === Infinity ? -1 : least;
}

export function mergeCounts(lists: Lane): Counted {
  const ids: number[] = [];
  const counts: number[] = [];
  sumCounts([lists], (firstId, length, sums) => {
    for (let i = 0; i < length; i++) {
      const count = sums[i] ?? 0;
      if (count === 0) continue;
      ids.push(firstId + i);
      counts.push(count);
    }
  });
  return { ids: Uint32Array.from(ids), counts: Float64Array.from(counts) };
}

/** How many distinct numbers occur in any lane. */
export function distinctIn(lanes: Lanes): number {
  let distinct = 0;
  sumCounts(lanes, (_, length, first, second) => {
    for (let i = 0; i < length; i++) if ((first[i] ?? 0) + (second[i] ?? 0) > 0) distinct++;
  });
  return distinct;
}

export interface Ranked {
  readonly id: number;
  readonly count: number;
}

/** The largest sums first; equal ones by their number. */
export function topOf(lists: Lane, most: number): Ranked[] {
  const kept: Ranked[] = [];
  let least = 0;
  const cut = (): void => {
    kept.sort((a, b) => b.count - a.count || a.id - b.id).splice(most);
    least = kept.length < most ? 0 : (kept.at(-1)?.count ?? 0);
  };
  sumCounts([lists], (firstId, length, sums) => {
    for (let i = 0; i < length; i++) {
      const count = sums[i] ?? 0;
      if (count <= least) continue;
      kept.push({ id: firstId + i, count });
      if (kept.length >= 2 * most + 100) cut();
    }
  });
  cut();
  return kept;
}
