// Rates over the last minute: since the start if the meter is younger, and never negative.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadMeter, type Load } from './load-meter.ts';

test('rates cover the last minute, and are 0 when a counter restarts', () => {
  let load: Load = { atMs: 0, queries: 0, cpuSeconds: 0, totalTicks: 0, idleTicks: 0 };
  const meter = new LoadMeter(() => load);
  assert.deepEqual([meter.queriesPerSecond(), meter.processPercent(), meter.machinePercent()], [0, 0, 0]);
  load = { atMs: 10_000, queries: 50, cpuSeconds: 15, totalTicks: 4_000, idleTicks: 1_000 };
  assert.deepEqual([meter.queriesPerSecond(), meter.processPercent(), meter.machinePercent()], [5, 150, 75]);
  // After a minute without queries the rate is 0.
  for (let atMs = 15_000; atMs <= 75_000; atMs += 5_000) {
    load = { ...load, atMs };
    meter.sample();
  }
  assert.equal(meter.queriesPerSecond(), 0);
  load = { ...load, atMs: 80_000, queries: 10 };
  assert.equal(meter.queriesPerSecond(), 0);
});
