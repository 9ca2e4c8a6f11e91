import assert from 'node:assert/strict';
import { it } from 'node:test';

import { seeded } from '../test/running/seeded.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';

/** `npm run fuzz` tries a million, with new seeds, and bounds the time of each. */
const PACKETS = 15_000;
const { seed } = seeded();

it(`the codec neither throws on mutated and random packets nor reads outside them (seed ${seed})`, () => {
  const { packets, problem } = runFuzz(seed, PACKETS);
  assert.equal(problem, undefined);
  assert.equal(packets, PACKETS);
});
