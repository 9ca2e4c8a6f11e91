// A client that asks all the time while something is done to the service, and gets all of its answers.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Service } from '../../running/boot.ts';
import { startLoad, type LoadOptions } from '../../running/dns-load.ts';

const aroundMs = 100;

/** Fails when a query of the load had no answer, or another code than 0. */
export const underLoad = async (
  service: Service,
  load: LoadOptions,
  work: () => Promise<void>,
): Promise<void> => {
  const stop = startLoad(load);
  await sleep(aroundMs);
  await work();
  await sleep(aroundMs);
  const { asked, unanswered, codes, dropped } = await stop();
  const lost = `${unanswered.length} of ${asked} without an answer: ${unanswered.slice(0, 5).join(' ')}`;
  // What the system itself threw away, on a machine that is too busy, is no fault of the service.
  assert.ok(unanswered.length <= dropped, `${lost}; ${dropped} dropped.\n${service.log()}`);
  assert.deepEqual(Object.keys(codes), ['0'], `Codes: ${JSON.stringify(codes)}`);
};
