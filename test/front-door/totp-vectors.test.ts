// Checks the one-time tokens that the tests compute against the test vectors of RFC 6238 appendix B. Without
// this, agreement with the service would prove little.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { fromBase32, stepAt, tokenOf } from './support/totp.ts';

/** "12345678901234567890" of the appendix; its tokens have eight digits, ours are the last six of them. */
const key = fromBase32('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
const vectors: readonly (readonly [unixSeconds: number, token: string])[] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];

describe('RFC 6238 appendix B', () => {
  for (const [seconds, token] of vectors) {
    test(`token at ${seconds} s`, () => assert.equal(tokenOf(key, stepAt(seconds * 1000)), token.slice(2)));
  }
});
