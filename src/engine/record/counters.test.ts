import assert from 'node:assert/strict';
import test from 'node:test';
import { Counter, originNames, readCounters } from './counters.ts';
import { Origin } from './layout.ts';

test('the number of an origin is the place of its counter', () => {
  for (const name of originNames) assert.equal(Counter[name], Origin[name], name);
});

test('without workers all counters are zero', () => {
  const sums = readCounters([]);
  assert.deepEqual(Object.keys(sums), Object.keys(Counter));
  assert.deepEqual(new Set(Object.values(sums)), new Set([0]));
});
