// Counts what the cache of a worker holds, on request: in slices, with queries answered between them.
// Requests during a count, or just after it, share its result.

import { setImmediate } from 'node:timers/promises';
import { Census, type Engine } from '#engine';

const goodForMs = 1_000;

/** Resolves when the count can be read in the shared memory. */
export function createCensus(engine: Engine, counters: SharedArrayBuffer): () => Promise<void> {
  let counting: Promise<void> | undefined;
  let takenAtMs = -Infinity;
  const take = async (): Promise<void> => {
    const census = new Census(engine.cache);
    engine.readClocks();
    while (census.step(engine.nowSeconds, engine.compiled.options.cache)) await setImmediate();
    census.write(counters);
    takenAtMs = engine.nowMs;
    counting = undefined;
  };
  return () => {
    engine.readClocks();
    if (counting === undefined && engine.nowMs - takenAtMs < goodForMs) return Promise.resolve();
    return (counting ??= take());
  };
}
