// As many items as one event may carry. An event goes to a thousand readers, so its size is bounded whatever
// happened: what does not fit is left out and counted, and a reader who wants it all asks for it.

import { limits } from '#contract';

export interface Fitting<T> {
  readonly kept: readonly T[];
  readonly leftOut: number;
}

export const fitting = <T>(items: readonly T[]): Fitting<T> => {
  const kept: T[] = [];
  let sizeBytes = 0;
  for (const item of items) {
    sizeBytes += Buffer.byteLength(JSON.stringify(item));
    if (kept.length >= limits.eventItems || sizeBytes > limits.eventBytes) break;
    kept.push(item);
  }
  return { kept, leftOut: items.length - kept.length };
};
