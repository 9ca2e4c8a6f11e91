import assert from 'node:assert/strict';
import { it } from 'node:test';

import { runFuzz } from './fuzz/run-fuzz.ts';

/** `npm run fuzz` does a million. */
const PACKETS = 200_000;
const BUDGET_MS = 4000;
/** Fewer than this within the time means that something became slow. */
const MIN_PACKETS = 5000;

it('mutated and random packets never make the codec throw, hang or look outside them', (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { packets, problem } = runFuzz(seed, PACKETS, BUDGET_MS);
  t.diagnostic(`seed ${seed}, ${packets} packets`);
  assert.equal(problem, undefined);
  assert.ok(packets >= MIN_PACKETS, `${packets} packets in ${BUDGET_MS} ms`);
});
