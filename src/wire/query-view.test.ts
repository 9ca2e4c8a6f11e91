import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Rcode, Type } from './codes.ts';
import { endingMark, hashName } from './name-hash.ts';
import { nameToText } from './name-text.ts';
import { ignored } from './accept.ts';
import { QueryView } from './query-view.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';

const SEED = 0x5eed;

function read(...parts: readonly Part[]): { view: QueryView; result: number } {
  const packet = bytesOf(...parts);
  const view = new QueryView(SEED);
  // Data of an earlier query must not be visible.
  const before = bytesOf(
    header(9, 0x0110, 1, 0, 0, 1),
    'older.name',
    word(9),
    word(9),
    opt(4096, [0, 0, 0x80, 0]),
  );
  assert.equal(view.read(before, 0, before.length), 0);
  return { view, result: view.read(placed(packet), PLACE, packet.length) };
}

function question(name: Part, type: number = Type.A): Uint8Array {
  return bytesOf(name, word(type), word(1));
}

describe('a well-formed query is parsed', () => {
  it('without EDNS', () => {
    const { view, result } = read(
      header(0xbeef, 0x0100, 1),
      question([2, 0x41, 0x62, 1, 0x43, 0], Type.HTTPS),
    );
    assert.equal(result, 0);
    assert.equal(view.id, 0xbeef);
    assert.equal(view.flags, 0x0100);
    assert.equal(nameToText(view.name), 'ab.c');
    assert.equal(view.nameLength, 6);
    assert.equal(view.labelCount, 2);
    assert.equal(view.type, Type.HTTPS);
    assert.equal(view.class, 1);
    assert.equal(view.questionEnd, PLACE + 22);
    assert.equal(view.hasEdns, false);
    assert.equal(view.udpBytes, 512);
    assert.equal(view.dnssecOk, false);
    assert.deepEqual(
      [view.recursionDesired, view.checkingDisabled, view.authenticData],
      [true, false, false],
    );
  });
  it('for the root', () => {
    const { view, result } = read(header(1, 0x0030, 1), question('.', Type.NS));
    assert.equal(result, 0);
    assert.deepEqual([view.nameLength, view.labelCount], [1, 0]);
    assert.deepEqual([view.recursionDesired, view.checkingDisabled, view.authenticData], [false, true, true]);
  });
  it('with the longest name', () => {
    const label = [63, ...Array<number>(63).fill(0x61)];
    const name = bytesOf(label, label, label, 61, Array<number>(61).fill(0x62), 0);
    const { view, result } = read(header(1, 0, 1), question(name));
    assert.equal(result, 0);
    assert.deepEqual(view.name.subarray(0, view.nameLength), name);
  });
  it('names of every length, in any case and with any byte, are lower-cased and hashed like hashName', () => {
    const odd = [0x40, 0x41, 0x5a, 0x5b, 0x60, 0x61, 0x7a, 0x7f, 0x80, 0xc1, 0xda, 0xff, 0x00, 0x2e];
    for (let length = 1; length <= 63; length += 1) {
      const label = Array.from({ length }, (_, at) => odd[(at + length) % odd.length] ?? 0);
      const lower = label.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
      const { view, result } = read(header(1, 0, 1), question([length, ...label, 1, 0x42, 0]));
      const name = bytesOf([length, ...lower, 1, 0x62, 0]);
      assert.equal(result, 0);
      assert.deepEqual(view.name.subarray(0, view.nameLength), name);
      assert.equal(view.hash, hashName(name, name.length, SEED));
      assert.equal(view.lastTwoMark, endingMark(name, 0, endingMark(name, length + 1, 0)));
    }
  });
  it('the hash depends on the name in lower case, and on the seed', () => {
    const { view } = read(header(1, 0, 1), question([1, 0x41, 0]));
    const { view: other } = read(header(2, 0, 1), question('a'));
    assert.equal(view.hash, other.hash);
    assert.equal(view.hash, hashName(bytesOf('a'), 3, SEED));
    assert.notEqual(view.hash, hashName(bytesOf('a'), 3, SEED + 1));
    assert.notEqual(view.hash, hashName(bytesOf('b'), 3, SEED));
    assert.equal(view.hash, view.hash | 0);
  });
});

describe('EDNS', () => {
  const asked = [header(1, 0, 1, 0, 0, 1), question('a')] as const;
  const cases: readonly [string, number[], number, Partial<QueryView>][] = [
    ['size', opt(1232), 0, { hasEdns: true, udpBytes: 1232, dnssecOk: false, ednsVersion: 0 }],
    ['a size below 512 means 512', opt(100), 0, { udpBytes: 512 }],
    ['DO', opt(1232, [0, 0, 0x80, 0]), 0, { dnssecOk: true }],
    ['unknown flags', opt(1232, [0, 0, 0x7f, 0xff]), 0, { dnssecOk: false }],
    ['unknown options', opt(1232, [0, 0, 0, 0], [0xfd, 0xe9, 0, 2, 1, 2, 0, 10, 0, 0]), 0, { hasEdns: true }],
    ['a version of the future', opt(4000, [0, 1, 0, 0]), Rcode.badVers, { ednsVersion: 1, udpBytes: 4000 }],
    ['an option that overruns', opt(1232, [0, 0, 0, 0], [0, 10, 0, 3, 1, 2]), Rcode.formErr, {}],
    ['half an option', opt(1232, [0, 0, 0, 0], [0, 10, 0]), Rcode.formErr, {}],
    ['an owner that is not the root', [1, 0x61, ...opt(1232)], Rcode.formErr, {}],
    ['an owner by pointer', [0xc0, 12, ...opt(1232).slice(1)], Rcode.formErr, {}],
    ['a record that is not EDNS', record('a', Type.TXT, 0, [0]), 0, { hasEdns: false, udpBytes: 512 }],
    ['a record that overruns', opt(1232).fill(1, 10), Rcode.formErr, {}],
    ['a record that is cut off', opt(1232).slice(0, 10), Rcode.formErr, {}],
    ['no record', [], Rcode.formErr, {}],
  ];
  for (const [name, additional, expected, fields] of cases) {
    it(name, () => {
      const { view, result } = read(...asked, additional);
      assert.equal(result, expected);
      assert.partialDeepStrictEqual(Object.fromEntries(Object.entries(view)), fields);
      if (result !== Rcode.formErr) assert.equal(nameToText(view.name), 'a');
    });
  }
  it('two OPT records are an error', () => {
    const { result } = read(header(1, 0, 1, 0, 0, 2), question('a'), opt(1232), opt(1232));
    assert.equal(result, Rcode.formErr);
  });
  it('OPT before a signature is read', () => {
    const { view, result } = read(
      header(1, 0, 1, 0, 0, 2),
      question('a'),
      opt(1400),
      record('k', 250, 0, [1]),
    );
    assert.deepEqual([result, view.udpBytes], [0, 1400]);
  });
});

describe('a malformed query', () => {
  const cases: readonly [string, readonly Part[]][] = [
    ['no name', [header(1, 0, 1)]],
    ['a name that is cut off', [header(1, 0, 1), 3, 0x61]],
    ['a name without root', [header(1, 0, 1), 1, 0x61]],
    ['no type', [header(1, 0, 1), 'a']],
    ['half a class', [header(1, 0, 1), 'a', 0, 1, 0]],
    ['a pointer', [header(1, 0, 1), 0xc0, 12, word(1), word(1)]],
    ['a pointer after a label', [header(1, 0, 1), 1, 0x61, 0xc0, 12, word(1), word(1)]],
    ['a label of 64', [header(1, 0, 1), 64, Array<number>(64).fill(0x61), 0, word(1), word(1)]],
    [
      '256 bytes of name',
      [header(1, 0, 1), Array.from({ length: 127 }, () => [1, 0x61]).flat(), 1, 0x61, 0, word(1), word(1)],
    ],
    ['two questions', [header(1, 0, 2), question('a'), question('b')]],
  ];
  for (const [name, parts] of cases) it(name, () => assert.equal(read(...parts).result, Rcode.formErr));

  it('without a complete header, or with QR set, gets no answer', () => {
    assert.equal(read(header(1, 0, 1).slice(0, 11)).result, ignored);
    assert.equal(read(header(1, 0x8180, 1), question('a')).result, ignored);
  });
});
