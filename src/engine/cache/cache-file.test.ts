// The cache as a file: whole or not at all, with times moved on by the wall clock and names hashed by a new
// seed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashName, nameFromText } from '#wire';
import { Random } from '#testing/random';
import { AnswerCache, bodyStart, type NewEntry } from './answer-cache.ts';
import { loadCache, saveCache } from './cache-file.ts';
import { Entry, State } from './entry.ts';

const nameOf = (number: number): Uint8Array => nameFromText(`host${number}.example`) ?? new Uint8Array(1);

function entryOf(number: number, seed: number): NewEntry {
  const name = nameOf(number);
  const body = Uint8Array.from({ length: 20 + (number % 50) }, (_, i) => number + i);
  return {
    name,
    nameLength: name.length,
    hash: hashName(name, name.length, seed),
    key: 28,
    state: State.hasTargets,
    body,
    bodyStart: 0,
    bodyLength: body.length,
    ttlOffsets: Uint16Array.of(number, 300),
    ttlCount: 2,
    storedAt: 1000,
    expiresAt: 1000 + number,
    answersAndAuthorities: 3,
    additionalsAndFlags: 0x8180_0001 | 0,
    origin: 0x7_1000,
    addressAndKinds: 0x4210_0077,
  };
}

function filled(count: number): AnswerCache {
  const cache = new AnswerCache(1 << 16);
  for (let number = 0; number < count; number++) cache.store(entryOf(number, 1));
  for (let number = 0; number < count; number += 7) {
    const name = nameOf(number);
    cache.flushName(name, name.length, hashName(name, name.length, 1));
  }
  return cache;
}

describe('the cache as a file', () => {
  test('is restored with TTLs reduced by the time that has passed', () => {
    const saved = saveCache(filled(100), 1050, 5_000_000);
    const cache = new AnswerCache(1 << 16);
    assert.equal(loadCache(cache, saved, 2, 10, 5_060_900), 100 - 15);
    assert.equal(cache.count, 85);
    for (let number = 0; number < 100; number++) {
      const name = nameOf(number);
      const place = cache.find(name, name.length, hashName(name, name.length, 2), 28);
      assert.equal(place >= 0, number % 7 !== 0);
      if (place < 0) continue;
      const { words, bytes } = cache;
      // 50 s old when saved, 60 s away, and the new steady clock stands at 10.
      assert.equal(10 - (words[place + Entry.storedAt] ?? 0), 110);
      assert.equal((words[place + Entry.expiresAt] ?? 0) - (words[place + Entry.storedAt] ?? 0), number);
      assert.equal(words[place + Entry.additionalsAndFlags], 0x8180_0001 | 0);
      assert.equal(words[place + Entry.origin], 0x7_0000, 'the upstream is not known any more');
      assert.equal(words[place + Entry.addressAndKinds], 0x4210_0077);
      const body = bodyStart(words, place);
      assert.deepEqual(bytes.slice(body, body + 3), Uint8Array.of(number, number + 1, number + 2));
    }
  });

  test('a wall clock that was set back does not make answers younger', () => {
    const cache = new AnswerCache(1 << 16);
    loadCache(cache, saveCache(filled(10), 1050, 5_000_000), 2, 1050, 1);
    const name = nameOf(9);
    const place = cache.find(name, name.length, hashName(name, name.length, 2), 28);
    assert.equal(cache.words[place + Entry.storedAt], 1000);
  });

  test('is read at any offset of a larger buffer, and into a smaller cache', () => {
    const saved = saveCache(filled(100), 1050, 0);
    const shifted = new Uint8Array(saved.length + 3);
    shifted.set(saved, 3);
    const small = new AnswerCache(2048);
    assert.equal(loadCache(small, shifted.subarray(3), 2, 1050, 0), 85);
    assert.ok(small.count > 5 && small.count < 20);
    // As files are read; its `slice` makes no copy.
    assert.equal(loadCache(new AnswerCache(1 << 16), Buffer.from(shifted).subarray(3), 2, 1050, 0), 85);
  });

  test('an empty cache is restored empty', () => {
    const cache = new AnswerCache(4096);
    assert.equal(loadCache(cache, saveCache(cache, 0, 0), 1, 0, 0), 0);
  });

  test('a file that is cut or damaged is ignored', () => {
    const saved = saveCache(filled(40), 1050, 5_000_000);
    const random = new Random(9);
    const load = (file: Uint8Array): number => loadCache(new AnswerCache(1 << 16), file, 2, 1050, 5_000_000);
    assert.equal(load(saved), 34);
    for (let length = 0; length < saved.length; length += 1 + random.below(40))
      assert.equal(load(saved.subarray(0, length)), 0, `cut at ${length}`);
    for (let round = 0; round < 300; round++) {
      const damaged = saved.slice();
      const at = random.below(saved.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
      // Four bytes of the header are spare.
      if (at < 12 || at >= 16) assert.equal(load(damaged), 0, `damaged at ${at}`);
    }
    assert.equal(load(new Uint8Array(0)), 0);
    const older = saved.slice();
    older[7] = 1;
    assert.equal(load(older), 0, 'another format');
  });
});
