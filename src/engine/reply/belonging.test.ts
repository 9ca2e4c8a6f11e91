// Which replies answer their question: the owner of an answer may be written in full, in another case, or as
// a pointer, and a DNAME counts only above the name. Then how much of a reply is looked at: the limits that
// keep a hostile reply from costing time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { makeReply } from '#testing/engine/messages';
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

const rows: readonly (readonly [title: string, records: readonly string[], isMet: boolean])[] = [
  ['no answer', [], true],
  ['no answer, and an authority of another name', ['authority: bank.test 60 NS ns.test'], true],
  ['an answer of its name', ['www.example 60 A 198.18.0.1'], true],
  [
    'an answer of its name behind a foreign one',
    ['bank.test 60 A 198.18.0.2', 'www.example 60 A 198.18.0.1'],
    true,
  ],
  ['a DNAME above its name', ['example 60 DNAME new.test', 'www.new.test 60 A 198.18.0.1'], true],
  ['another type above its name', ['example 60 A 198.18.0.1'], false],
  ['a DNAME beside its name', ['other 60 DNAME new.test'], false],
  ['a DNAME below its name', ['a.www.example 60 DNAME new.test'], false],
  ['answers of another name', ['bank.test 60 A 198.18.0.2'], false],
  [
    'its name in the additional section only',
    ['bank.test 60 A 198.18.0.2', 'additional: www.example 60 A 198.18.0.1'],
    false,
  ],
];

for (const [title, records, isMet] of rows)
  test(`a reply with ${title} ${isMet ? 'answers' : 'does not answer'} the question`, () => {
    sorted(records);
    assert.equal(belonging.isAllForeign, !isMet);
  });

test('an owner that is written in full and in another case is the name of the question', () => {
  const pointed = makeReply(question, ['NOERROR', 'noopt'], ['www.example 60 A 198.18.0.1']);
  const owner = Buffer.from(name).map((byte) => (byte >= 0x61 ? byte - 0x20 : byte));
  const questionEnd = 12 + name.length + 4;
  // Type, class, TTL, length and data of the one record.
  const rest = pointed.subarray(pointed.length - 14);
  const full = Buffer.concat([pointed.subarray(0, questionEnd), owner, rest]);
  belonging.sort(full, 0, full.length, name);
  assert.deepEqual([belonging.isAllForeign, belonging.keep[0], belonging.foreign], [false, 1, 0]);
});

test('32 names of a chain are followed, in any order of records', () => {
  const chain = many(40, (index) =>
    index === 0 ? 'www.example 60 CNAME n1' : `n${index} 60 CNAME n${index + 1}`,
  );
  assert.deepEqual(sorted(chain), [32, 8]);
  assert.deepEqual(sorted(chain.toReversed()), [32, 8]);
  assert.deepEqual(sorted(chain.slice(0, 32).toReversed()), [32, 0]);
});

test('all answers are examined, and 256 records each of authority and additional', () => {
  const answers = many(1000, () => 'www.example 60 A 198.18.0.1');
  const authorities = many(300, (index) => `authority: example 60 NS n${index}.example`);
  const additionals = many(300, (index) => `additional: www.example 60 A 198.18.0.${index % 250}`);
  assert.deepEqual(sorted([...answers, ...authorities, ...additionals]), [1512, 88]);
});
