// Options of rules take memory in every dns worker: however long those of a list are, together they stay
// within what a worker can hold twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainOptions } from '../rules/rule-options.ts';
import { maxOptionBytes } from './layout.ts';
import { RareRules } from './rare-rules.ts';

const names = Array.from({ length: 100 }, (_, at) => Uint8Array.of(2, 97, at, 0));

test('options are refused when all together would be too large', () => {
  const rules = new RareRules();
  const options = (number: number) => ({
    ...plainOptions,
    denyallow: [Uint8Array.of(2, number >> 8, number & 255, 0), ...names],
  });
  const taken = Array.from({ length: 2_000 }, (_, at) => rules.optionsNumber(options(at))).filter(
    (n) => n > 0,
  );
  assert.ok(taken.length > 1_000 && taken.length < 2_000, `${taken.length} were taken`);
  assert.ok(rules.options.join('').length < maxOptionBytes);
  assert.equal(rules.optionsNumber(options(0)), 1, 'options that are already there need no room');
  assert.equal(rules.optionsNumber(options(5_000)), -1);
});
