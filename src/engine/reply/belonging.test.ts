// How much of a reply is looked at: the limits that keep a hostile reply from costing time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { makeReply } from '../scenarios/messages.ts';
import { Belonging } from './belonging.ts';

const name = nameFromText('www.example') ?? new Uint8Array(1);
const question = { name, type: Type.A, class: 1, dnssecOk: false, checkingDisabled: false };
const belonging = new Belonging();

/** How many records of the reply are kept, and how many are foreign. */
function sorted(records: readonly string[]): [kept: number, foreign: number] {
  const message = makeReply(question, ['NOERROR'], records);
  belonging.sort(message, 0, message.length, name);
  const kept = belonging.keep.subarray(0, records.length).filter((bit) => bit === 1).length;
  return [kept, belonging.foreign];
}

const many = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => line(index));

test('32 names of a chain are followed, in whatever order they come', () => {
  const chain = many(40, (index) =>
    index === 0 ? 'www.example 60 CNAME n1' : `n${index} 60 CNAME n${index + 1}`,
  );
  assert.deepEqual(sorted(chain), [32, 8]);
  assert.deepEqual(sorted(chain.toReversed()), [32, 8]);
  assert.deepEqual(sorted(chain.slice(0, 32).toReversed()), [32, 0]);
});

test('of authority and additional 256 records each are looked at, of answers all', () => {
  const answers = many(1000, () => 'www.example 60 A 198.18.0.1');
  const authorities = many(300, (index) => `authority: example 60 NS n${index}.example`);
  const additionals = many(300, (index) => `additional: www.example 60 A 198.18.0.${index % 250}`);
  assert.deepEqual(sorted([...answers, ...authorities, ...additionals]), [1512, 88]);
});
