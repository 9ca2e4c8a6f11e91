// How many descriptors a process may have, and how many of them connections may use.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connectionsWithin, parseDescriptorLimit } from './descriptor-limit.ts';

function tableOf(soft: string): string {
  return `Limit                     Soft Limit           Hard Limit           Units     
Max processes             30446                30446                processes 
Max open files            ${soft.padEnd(20)} 524288               files     
`;
}

const texts: readonly (readonly [text: string, found: number | undefined])[] = [
  [tableOf('1024'), 1024],
  [tableOf('unlimited'), undefined],
  ['', undefined],
];
for (const [text, found] of texts)
  test(`the limit of ${JSON.stringify(text.slice(-60))}`, () =>
    assert.equal(parseDescriptorLimit(text), found));

const shares: readonly (readonly [wanted: number, sharers: number, has: number | undefined, gets: number])[] =
  [
    [2_048, 1, undefined, 2_048],
    [2_048, 1, 65_536, 2_048],
    [2_048, 1, 4_096, 1_024],
    [2_048, 1, 1_024, 256],
    [512, 4, 1_024, 64],
    [512, 4, 8, 1],
  ];
for (const [wanted, sharers, has, gets] of shares)
  test(`${wanted} connections for each of ${sharers} with ${has} descriptors`, () =>
    assert.equal(connectionsWithin(wanted, sharers, has), gets));

test('by default the limit of this process counts', () => {
  assert.ok(connectionsWithin(1) === 1 && connectionsWithin(2 ** 40) < 2 ** 40);
});
