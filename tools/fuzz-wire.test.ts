import assert from 'node:assert/strict';
import { it } from 'node:test';

import { seeded } from '../test/running/seeded.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';

/** `npm run fuzz` uses a million packets with a new seed, and limits the time of each. */
const PACKETS = 15_000;
const { seed } = seeded();

it(`the codec neither throws on mutated and random packets nor reads outside them (seed ${seed})`, () => {
  const { packets, problem } = runFuzz(seed, PACKETS);
  assert.equal(problem, undefined);
  assert.equal(packets, PACKETS);
});
