// What is the reply to a question and what is not: the question has to come back, and whether its letters
// kept their case is distinguished.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText, Rcode } from '#wire';
import { Fit, fitOf } from './question-bytes.ts';

const place = 5;
const half = (value: number): number[] => [value >> 8, value & 0xff];
const header = (questions: number, flags = 0x8000, answers = 0): number[] =>
  [1, flags, questions, answers, 0, 0].flatMap(half);
const name = (text: string): number[] => [...(nameFromText(text) ?? [])];
const question = (text: string, type = 1, dnsClass = 1): number[] => [
  ...name(text),
  ...half(type),
  ...half(dnsClass),
];
/** As a name with this letter in upper case. */
const mixed = [1, 0x41, 1, 0x62, 0, ...half(1), ...half(1)];
const opt = [0, ...half(41), ...half(1232), 0, 0, 0, 0, 0, 0];

const rows: readonly (readonly [string, readonly number[], number])[] = [
  ['itself', [...header(1), ...question('a.b')], Fit.exact],
  ['itself, with more behind it', [...header(1), ...question('a.b'), 9, 9], Fit.exact],
  ['another case', [...header(1), ...mixed], Fit.otherCase],
  ['another name', [...header(1), ...question('a.c')], Fit.none],
  ['another type', [...header(1), ...question('a.b', 2)], Fit.none],
  ['a type that is the same number in another case', [...header(1), ...question('a.b', 33)], Fit.none],
  ['another class', [...header(1), ...question('a.b', 1, 3)], Fit.none],
  ['a longer name', [...header(1), ...question('a.b.c')], Fit.none],
  ['two questions', [...header(2), ...question('a.b'), ...question('a.b')], Fit.none],
  ['no question', [...header(0), ...question('a.b')], Fit.none],
  ['a question that is cut off', [...header(1), ...question('a.b').slice(0, -1)], Fit.none],
  ['a query', [...header(1, 0), ...question('a.b')], Fit.none],
  ['a header alone', header(0), Fit.none],
  ['NXDOMAIN alone', header(0, 0x8000 | Rcode.nxDomain), Fit.none],
  ['NXDOMAIN and OPT alone', [...header(0, 0x8000 | Rcode.nxDomain), ...opt], Fit.none],
  ['SERVFAIL alone', header(0, 0x8000 | Rcode.servFail), Fit.errorWithoutQuestion],
  ['FORMERR alone', header(0, 0x8000 | Rcode.formErr), Fit.errorWithoutQuestion],
  ['NOTIMP alone', header(0, 0x8000 | Rcode.notImp), Fit.errorWithoutQuestion],
  ['REFUSED and OPT alone', [...header(0, 0x8000 | Rcode.refused), ...opt], Fit.errorWithoutQuestion],
  ['REFUSED with an answer', [...header(0, 0x8000 | Rcode.refused, 1), ...opt], Fit.none],
  ['half a header', header(1).slice(0, 6), Fit.none],
];

for (const [title, message, fit] of rows)
  test(title, () => {
    const query = Uint8Array.from([...header(1, 0), ...question('a.b')]);
    // Followed by what would make a question that is cut off whole again.
    const placed = new Uint8Array(place + message.length + 20).fill(1);
    placed.set(message, place);
    assert.equal(fitOf(query, 12 + name('a.b').length, placed, place, message.length), fit);
  });

test('type 65 is not type 97 in another case', () => {
  const query = Uint8Array.from([...header(1, 0), ...question('a', 97)]);
  const reply = Uint8Array.from([...header(1), ...question('a', 65)]);
  assert.equal(fitOf(query, 15, reply, 0, reply.length), Fit.none);
});
