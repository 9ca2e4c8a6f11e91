// Runs a function while a client sends queries all the time, and checks that each query is answered.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Service } from '../../running/boot.ts';
import { startLoad, type LoadOptions } from '../../running/dns-load.ts';

const aroundMs = 100;

/** Fails when a query of the load got no answer or a response code other than 0. */
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
  // Packets that the kernel dropped on a busy machine are not the service's fault.
  assert.ok(unanswered.length <= dropped, `${lost}; ${dropped} dropped.\n${service.log()}`);
  assert.deepEqual(Object.keys(codes), ['0'], `Codes: ${JSON.stringify(codes)}`);
};
