// How long "nothing" holds (RFC 2308 section 5), by whatever SOA records a reply has.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { makeReply } from '#testing/engine/messages';
import { Examined } from './examine.ts';

const soa = (ttlSeconds: number, minimum: number): string =>
  `example ${ttlSeconds} SOA ns.example host.example 1 7200 900 86400 ${minimum}`;

const rows: readonly (readonly [string, readonly string[], number])[] = [
  ["the SOA's minimum", [`authority: ${soa(900, 60)}`], 60],
  ["the SOA's own TTL", [`authority: ${soa(30, 60)}`], 30],
  ['a minimum with the highest bit set', [`authority: ${soa(30, 0xffff_ffff)}`], 30],
  ['the first SOA', [`authority: ${soa(30, 60)}`, `authority: ${soa(1, 1)}`], 30],
  ['no SOA', ['authority: example 5 NS ns.example'], -1],
  ['a SOA as an answer', [soa(30, 60)], -1],
  ['a SOA that is too short', [String.raw`authority: example 5 TYPE6 \# 000001`], -1],
];

describe('negative answers are cached as long as', () => {
  const question = {
    name: nameFromText('www.example') ?? new Uint8Array(1),
    type: Type.A,
    class: 1,
    dnssecOk: false,
    checkingDisabled: false,
  };
  for (const [title, lines, seconds] of rows)
    test(title, () => {
      const message = makeReply(question, ['NXDOMAIN'], lines);
      const placed = new Uint8Array(message.length + 9).fill(0xc1);
      placed.set(message, 4);
      const examined = new Examined();
      examined.examine(placed, 4, message.length, Type.A, -1);
      assert.equal(examined.negativeTtlSeconds, seconds);
    });
});
