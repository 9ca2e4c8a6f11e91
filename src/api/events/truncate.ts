// Truncates a list of items to the limits of one event. An event goes to up to a thousand readers, so its
// size is limited: the items above the limit are left out and counted, and a reader can request them from the
// API.

import { limits } from '#contract';

export interface Truncated<T> {
  readonly kept: readonly T[];
  readonly leftOut: number;
}

export function truncate<T>(items: readonly T[]): Truncated<T> {
  const kept: T[] = [];
  let sizeBytes = 0;
  for (const item of items) {
    sizeBytes += Buffer.byteLength(JSON.stringify(item));
    if (kept.length >= limits.eventItems || sizeBytes > limits.eventBytes) break;
    kept.push(item);
  }
  return { kept, leftOut: items.length - kept.length };
}
