import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameFromText } from '#wire';
import { SuffixHasher } from './suffix-hash.ts';

const key = Int32Array.of(11, 22, 33, 44);
function nameOf(text: string): Uint8Array {
  return nameFromText(text) ?? new Uint8Array(0);
}

function printOf(hasher: SuffixHasher, text: string): string {
  const name = nameOf(text);
  const last = hasher.hash(name, name.length) - 1;
  return `${hasher.low[last]} ${hasher.high[last]}`;
}

describe('the fingerprints of a name', () => {
  it('are those of all its suffixes, from the last label on', () => {
    const longest = Array.from({ length: 127 }, (_, at) => 'abcdefg'[at % 7]).join('.');
    for (const text of ['com', 'example.com', 'a.bc.def.ghij.klmno.example.com', longest]) {
      const hasher = new SuffixHasher(key);
      const other = new SuffixHasher(key);
      const name = nameOf(text);
      const labels = text.split('.');
      assert.equal(hasher.hash(name, name.length), labels.length);
      labels.forEach((_, at) => {
        const suffix = labels.length - 1 - at;
        assert.equal(
          `${hasher.low[suffix]} ${hasher.high[suffix]}`,
          printOf(other, labels.slice(at).join('.')),
        );
      });
    }
  });

  it('stop at the given length', () => {
    const hasher = new SuffixHasher(key);
    const buffer = new Uint8Array(256).fill(0x61);
    buffer.set(nameOf('example.com'));
    hasher.hash(buffer, 13);
    assert.equal(`${hasher.low[1]} ${hasher.high[1]}`, printOf(new SuffixHasher(key), 'example.com'));
  });

  it('differ under another key, and for labels that are split elsewhere', () => {
    const hasher = new SuffixHasher(key);
    const prints = ['ab.c', 'a.bc', 'abc', 'a.b.c', 'c.ab', 'aab.c'].map((text) => printOf(hasher, text));
    assert.equal(new Set(prints).size, prints.length);
    for (let word = 0; word < 4; word++)
      assert.notEqual(printOf(new SuffixHasher(key.with(word, 5)), 'ab.c'), prints[0]);
  });

  it('spread evenly over both halves', () => {
    const hasher = new SuffixHasher(key);
    const buckets = [new Int32Array(64), new Int32Array(64), new Int32Array(64), new Int32Array(64)];
    const count = 64_000;
    for (let at = 0; at < count; at++) {
      const name = nameOf(`n${at}.example`);
      hasher.hash(name, name.length);
      const [low = 0, high = 0] = [hasher.low[1], hasher.high[1]];
      [low >>> 26, low & 63, high >>> 26, high & 63].forEach((bucket, half) => {
        const counts = buckets[half] ?? new Int32Array(64);
        counts[bucket] = (counts[bucket] ?? 0) + 1;
      });
    }
    // 1000 are expected in each; 6 standard deviations are 190.
    for (const counts of buckets)
      for (const found of counts) assert.ok(Math.abs(found - 1000) < 190, `${found}`);
  });
});

describe('the fingerprint of an address', () => {
  const printOfAddress = (bytes: number[], bits: number): string => {
    const hasher = new SuffixHasher(key);
    hasher.hashAddress(Uint8Array.from([9, ...bytes]), 1, bytes.length, bits);
    return `${hasher.low[0]} ${hasher.high[0]}`;
  };
  it('depends only on the bits of its prefix', () => {
    assert.equal(printOfAddress([10, 1, 2, 3], 12), printOfAddress([10, 15, 9, 9], 12));
    assert.notEqual(printOfAddress([10, 1, 2, 3], 12), printOfAddress([10, 16, 2, 3], 12));
    assert.notEqual(printOfAddress([10, 0, 0, 0], 8), printOfAddress([10, 0, 0, 0], 9));
    assert.equal(printOfAddress([10, 0, 0, 0], 0), printOfAddress([99, 0, 0, 0], 0));
  });
});
