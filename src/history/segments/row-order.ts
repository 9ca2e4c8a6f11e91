// Keeps the rows of the open block in the order of time. Records arrive in the order in which queries were
// answered, ring by ring: rows of several workers, and rows of slow upstreams, are moved to their place as
// long as no caller has read the rows there. Rows that come later than that stay where they are added.

import type { Block } from './rows.ts';

/** After a jump of the clock, rows further away are sorted as if they were this far away. */
const maxSpanMs = 4_294_967_296;

let scratch = new Uint32Array(0);
let timeScratch = new Float64Array(0);

/** Rows from `settled` to `added` are in order; the rows added after them are merged into them. */
export function orderRows(block: Block, settled: number, added: number): void {
  const times = block.times();
  if (isInOrder(times, Math.max(added, settled + 1), block.length)) return;
  const fresh = sortedRows(times, added, block.length);
  const least = times[fresh[0] ?? 0] ?? 0;
  const first = firstAfter(times, settled, added, least);
  block.reorder(first, merged(times, first, added, fresh), scratchFor(block.length - first));
}

function isInOrder(times: Float64Array, from: number, end: number): boolean {
  for (let row = from; row < end; row++) if ((times[row] ?? 0) < (times[row - 1] ?? 0)) return false;
  return true;
}

/**
 * By time, then in order of arrival: one number for both, because sorting numbers without a function is
 * fastest.
 */
function sortedRows(times: Float64Array, from: number, end: number): Uint32Array {
  const count = end - from;
  let least = Infinity;
  for (let row = from; row < end; row++) least = Math.min(least, times[row] ?? 0);
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) keys[i] = Math.min((times[from + i] ?? 0) - least, maxSpanMs) * count + i;
  keys.sort();
  return Uint32Array.from(keys, (key) => from + (key % count));
}

/** The first row of the sorted range [from, end) that is later than `timeMs`; `end` when none is. */
function firstAfter(times: Float64Array, from: number, end: number, timeMs: number): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) > timeMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The new order of the rows from `first` on. */
function merged(times: Float64Array, first: number, added: number, fresh: Uint32Array): Uint32Array {
  const order = new Uint32Array(added - first + fresh.length);
  let old = first;
  let next = 0;
  for (let place = 0; place < order.length; place++) {
    const row = fresh[next] ?? 0;
    const takesOld = old < added && (next === fresh.length || (times[old] ?? 0) <= (times[row] ?? 0));
    order[place] = takesOld ? old++ : row;
    if (!takesOld) next++;
  }
  return order;
}

function scratchFor(rows: number): { readonly values: Uint32Array; readonly times: Float64Array } {
  if (scratch.length < rows) {
    scratch = new Uint32Array(rows);
    timeScratch = new Float64Array(rows);
  }
  return { values: scratch, times: timeScratch };
}
