// Sums of many coded lists of counts at once, one range of numbers after the other: however many names there
// are, what is held is the lists' bytes and one range of sums. Several lanes (permitted, blocked) go together.

import { type Counted, CountsCursor } from './counts.ts';

const rangeSize = 65_536;
const none = new Float64Array(0);

export interface Lane {
  readonly lists: readonly Uint8Array[];
}

/** Calls `visit` with the sums of each lane in each range that has any; `firstId` is that of place 0. */
export function sumCounts(
  lanes: readonly Lane[],
  visit: (firstId: number, sums: readonly Float64Array[]) => void,
): void {
  const cursors = lanes.map(({ lists }) => lists.map((list) => new CountsCursor(list)));
  const sums = lanes.map(() => new Float64Array(rangeSize));
  for (let first = nextRange(cursors); first >= 0; first = nextRange(cursors)) {
    for (const [lane, ofLane] of cursors.entries())
      for (const cursor of ofLane) addRange(cursor, sums[lane] ?? none, first);
    visit(first, sums);
    for (const sum of sums) sum.fill(0);
  }
}

function addRange(cursor: CountsCursor, sums: Float64Array, firstId: number): void {
  while (cursor.bucket >= 0 && cursor.firstId < firstId + rangeSize) {
    cursor.addTo(sums, firstId);
    cursor.next();
  }
}

function nextRange(cursors: readonly (readonly CountsCursor[])[]): number {
  let least = Infinity;
  for (const lane of cursors)
    for (const cursor of lane) if (cursor.bucket >= 0 && cursor.firstId < least) least = cursor.firstId;
  return least === Infinity ? -1 : Math.floor(least / rangeSize) * rangeSize;
}

export function mergeCounts(lists: readonly Uint8Array[]): Counted {
  const ids: number[] = [];
  const counts: number[] = [];
  sumCounts([{ lists }], (firstId, [sums]) => {
    for (let i = 0; i < rangeSize; i++) {
      const count = sums?.[i] ?? 0;
      if (count === 0) continue;
      ids.push(firstId + i);
      counts.push(count);
    }
  });
  return { ids: Uint32Array.from(ids), counts: Float64Array.from(counts) };
}

/** How many numbers occur in any lane. */
export function distinctIn(lanes: readonly Lane[]): number {
  let distinct = 0;
  sumCounts(lanes, (_, sums) => {
    for (let i = 0; i < rangeSize; i++) {
      let any = 0;
      for (let lane = 0; lane < sums.length; lane++) any += sums[lane]?.[i] ?? 0;
      if (any > 0) distinct++;
    }
  });
  return distinct;
}

export interface Ranked {
  readonly id: number;
  readonly count: number;
}

/** The largest sums first; equal ones by their number. */
export function topOf(lists: readonly Uint8Array[], most: number): Ranked[] {
  const kept: Ranked[] = [];
  let least = 0;
  const cut = (): void => {
    kept.sort((a, b) => b.count - a.count || a.id - b.id).splice(most);
    least = kept.length < most ? 0 : (kept.at(-1)?.count ?? 0);
  };
  sumCounts([{ lists }], (firstId, [sums]) => {
    for (let i = 0; i < rangeSize; i++) {
      const count = sums?.[i] ?? 0;
      if (count <= least) continue;
      kept.push({ id: firstId + i, count });
      if (kept.length >= 2 * most + 100) cut();
    }
  });
  cut();
  return kept;
}
