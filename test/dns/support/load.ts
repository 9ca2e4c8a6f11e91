// A client that asks all the time while something is done to the service, and misses nothing of it.

import assert from 'node:assert/strict';

import type { Service } from '../../running/boot.ts';
import { startLoad, type LoadOptions } from '../../running/dns-load.ts';

/** What is waiting for a thread that is being replaced may take as long as that; two seconds are promised. */
const slowestMaxMs = 2_000;

/** Fails when a query of the load had no answer, a late one, or another code than those that are wanted. */
export const underLoad = async (
  service: Service,
  load: LoadOptions,
  work: () => Promise<void>,
): Promise<void> => {
  const stop = startLoad(load);
  try {
    await work();
  } finally {
    const { asked, unanswered, slowestMs, codes } = await stop();
    const first = unanswered.slice(0, 5).join(' ');
    assert.equal(unanswered.length, 0, `Of ${asked} without an answer: ${first}\n${service.log()}`);
    assert.ok(slowestMs < slowestMaxMs, `The slowest of ${asked} took ${Math.round(slowestMs)} ms.`);
    assert.deepEqual(Object.keys(codes), ['0'], `Codes: ${JSON.stringify(codes)}`);
  }
};
