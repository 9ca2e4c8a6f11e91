// Which replies answer their question. The owner of an answer may be written in full, in another case, or as
// a pointer; a DNAME counts only above the name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Type } from '#wire';
import { makeReply } from '../scenarios/messages.ts';
import { AnswersQuestion } from './answers-question.ts';

const name = nameFromText('www.example') ?? new Uint8Array(1);
const question = { name, type: Type.A, class: 1, dnssecOk: false, checkingDisabled: false };
const answers = new AnswersQuestion();

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
    const message = makeReply(question, ['NOERROR'], records);
    assert.equal(answers.isMet(message, 0, message.length), isMet);
  });

test('an owner that is written in full and in another case is the name of the question', () => {
  const pointed = makeReply(question, ['NOERROR'], ['www.example 60 A 198.18.0.1']);
  const at = 12 + name.length + 4;
  const owner = Buffer.from(name).map((byte) => (byte >= 0x61 ? byte - 0x20 : byte));
  // Either form may be what the writer made of it; this one is in full for certain.
  const rest = pointed.subarray(pointed.length - 14);
  const full = Buffer.concat([pointed.subarray(0, at), owner, rest]);
  assert.equal(answers.isMet(full, 0, full.length), true);
});
