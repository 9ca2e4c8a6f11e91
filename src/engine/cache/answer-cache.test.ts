// The cache against a plain Map: random stores, uses, flushes, in a memory so small that everything is moved
// and evicted all the time, and with hashes that collide.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameFromText } from '#wire';
import { Random } from '#testing/random';
import { AnswerCache, bodyStart, nameStart, ttlListStart, type NewEntry } from './answer-cache.ts';
import { Entry, State } from './entry.ts';

const nameOf = (number: number): Uint8Array =>
  nameFromText(`${'x'.repeat(number % 40)}n${number}.example`) ?? new Uint8Array(1);

interface Plain {
  readonly name: Uint8Array;
  readonly hash: number;
  readonly key: number;
  readonly body: Uint8Array;
  readonly ttls: Uint16Array;
  readonly storedAt: number;
}

const entryOf = ({ name, hash, key, body, ttls, storedAt }: Plain): NewEntry => ({
  name,
  nameLength: name.length,
  hash,
  key,
  state: 0,
  body,
  bodyStart: 0,
  bodyLength: body.length,
  ttlOffsets: ttls,
  ttlCount: ttls.length,
  storedAt,
  expiresAt: storedAt + 60,
  answersAndAuthorities: 1,
  additionalsAndFlags: 0,
  origin: 0,
  addressAndKinds: 0,
});

function assertEntry(cache: AnswerCache, place: number, plain: Plain): void {
  const { words, bytes } = cache;
  const at = nameStart(place);
  assert.deepEqual(bytes.slice(at, at + plain.name.length), plain.name);
  const body = bodyStart(words, place);
  assert.deepEqual(bytes.slice(body, body + plain.body.length), plain.body);
  assert.equal(words[place + Entry.key], plain.key);
  assert.equal(words[place + Entry.storedAt], plain.storedAt);
  const list = ttlListStart(words, place);
  const ttls = Array.from(
    plain.ttls,
    (_, i) => (bytes[list + 2 * i] ?? 0) | ((bytes[list + 2 * i + 1] ?? 0) << 8),
  );
  assert.deepEqual(ttls, [...plain.ttls]);
}

/** Everything that the cache holds is what the model says, each once; tells how many. */
function assertAll(cache: AnswerCache, model: ReadonlyMap<string, Plain>): number {
  const seen = new Set<number>();
  cache.forEach((place) => seen.add(place));
  let found = 0;
  for (const plain of model.values()) {
    const place = cache.find(plain.name, plain.name.length, plain.hash, plain.key);
    if (place < 0) continue;
    assertEntry(cache, place, plain);
    assert.ok(seen.has(place));
    found++;
  }
  assert.equal(cache.count, found);
  assert.equal(seen.size, found);
  return found;
}

interface Case {
  readonly title: string;
  readonly seed: number;
  readonly sizeBytes: number;
  readonly names: number;
  readonly maxBodyBytes: number;
  /** How many different hashes there are. */
  readonly hashes: number;
  readonly steps: number;
}

const cases: readonly Case[] = [
  {
    title: 'tiny memory',
    seed: 1,
    sizeBytes: 2048,
    names: 50,
    maxBodyBytes: 200,
    hashes: 2 ** 31,
    steps: 6000,
  },
  { title: 'odd size', seed: 2, sizeBytes: 5001, names: 80, maxBodyBytes: 900, hashes: 2 ** 31, steps: 6000 },
  {
    title: 'hashes that collide',
    seed: 3,
    sizeBytes: 32_768,
    names: 300,
    maxBodyBytes: 60,
    hashes: 5,
    steps: 8000,
  },
  {
    title: 'index full first',
    seed: 4,
    sizeBytes: 65_536,
    names: 2000,
    maxBodyBytes: 1,
    hashes: 2 ** 31,
    steps: 9000,
  },
  {
    title: 'room for all',
    seed: 5,
    sizeBytes: 1 << 20,
    names: 200,
    maxBodyBytes: 300,
    hashes: 2 ** 31,
    steps: 4000,
  },
];

class Play {
  readonly cache: AnswerCache;
  readonly model = new Map<string, Plain>();
  readonly #random: Random;
  readonly #case: Case;
  #time = 0;

  constructor(given: Case) {
    this.#case = given;
    this.#random = new Random(given.seed);
    this.cache = new AnswerCache(given.sizeBytes);
  }

  step(): void {
    const number = this.#random.below(this.#case.names);
    const dice = this.#random.below(1000);
    if (dice < 550) this.#store(number);
    else if (dice < 960) this.#use(number);
    else if (dice < 999) this.#flush(number);
    else this.#clear();
  }

  #hash(number: number): number {
    return (Math.imul(number + 1, 0x9e3779b1) % this.#case.hashes) | 0;
  }

  #store(number: number): void {
    const key = this.#random.one([1, 28, 65, 1 | (1 << 16)]);
    const body = Uint8Array.from({ length: this.#random.below(this.#case.maxBodyBytes) }, () =>
      this.#random.below(256),
    );
    const ttls = Uint16Array.from({ length: this.#random.below(9) }, () => this.#random.below(65_536));
    const plain = { name: nameOf(number), hash: this.#hash(number), key, body, ttls, storedAt: this.#time++ };
    const place = this.cache.store(entryOf(plain));
    assert.ok(place >= 0 || plain.body.length > this.#case.sizeBytes / 4 - 200);
    if (place >= 0) assertEntry(this.cache, place, plain);
    if (place >= 0) this.model.set(`${number} ${key}`, plain);
    assert.ok(this.cache.usedBytes <= this.#case.sizeBytes);
  }

  /** As a hit does. */
  #use(number: number): void {
    const plain = this.model.get(`${number} 1`);
    if (plain === undefined) return;
    const place = this.cache.find(plain.name, plain.name.length, plain.hash, plain.key);
    if (place < 0) return;
    assertEntry(this.cache, place, plain);
    const { words } = this.cache;
    words[place + Entry.nameAndState] = (words[place + Entry.nameAndState] ?? 0) | State.used;
  }

  #flush(number: number): void {
    const name = nameOf(number);
    const own = [...this.model].filter(([id]) => id.startsWith(`${number} `));
    const there = own.filter(
      ([, { hash, key }]) => this.cache.find(name, name.length, hash, key) >= 0,
    ).length;
    assert.equal(this.cache.flushName(name, name.length, this.#hash(number)), there);
    for (const [id] of own) this.model.delete(id);
  }

  #clear(): void {
    this.cache.clear();
    this.model.clear();
    assert.equal(this.cache.count, 0);
    assert.equal(this.cache.usedBytes, 0);
  }
}

describe('the cache answers as a map does', () => {
  for (const given of cases)
    test(given.title, () => {
      const play = new Play(given);
      for (let step = 1; step <= given.steps; step++) {
        play.step();
        if (step % 250 === 0) assertAll(play.cache, play.model);
      }
      const found = assertAll(play.cache, play.model);
      assert.ok(found > 0);
      if (given.title === 'room for all') assert.equal(found, play.model.size);
    });
});

describe('eviction', () => {
  const plain = (number: number): Plain => ({
    name: nameOf(number),
    hash: Math.imul(number + 1, 0x9e3779b1),
    key: 1,
    body: new Uint8Array(100),
    ttls: new Uint16Array(1),
    storedAt: 0,
  });
  const isThere = (cache: AnswerCache, number: number): number => {
    const { name, hash, key } = plain(number);
    return cache.find(name, name.length, hash, key);
  };

  test('an entry in use stays, one that is never queried is evicted', () => {
    const cache = new AnswerCache(20_000);
    for (let number = 0; number < 2000; number++) {
      cache.store(entryOf(plain(number)));
      for (const hot of [0, 1, 2]) {
        const place = isThere(cache, hot);
        if (place >= 0)
          cache.words[place + Entry.nameAndState] =
            (cache.words[place + Entry.nameAndState] ?? 0) | State.used;
      }
    }
    for (const hot of [0, 1, 2]) assert.ok(isThere(cache, hot) >= 0);
    assert.equal(isThere(cache, 3), -1);
    assert.ok(isThere(cache, 1999) >= 0);
  });

  test('one use keeps an entry for one more round', () => {
    const cache = new AnswerCache(20_000);
    const place = cache.store(entryOf(plain(0)));
    cache.words[place + Entry.nameAndState] = (cache.words[place + Entry.nameAndState] ?? 0) | State.used;
    let rounds = 0;
    for (let number = 1; isThere(cache, 0) >= 0 && number < 2000; number++) {
      cache.store(entryOf(plain(number)));
      rounds = (number * 184) / 20_000;
    }
    assert.ok(rounds > 1 && rounds < 3, `${rounds} rounds`);
  });

  test('an entry that is too large is returned once, not stored, and evicts nothing', () => {
    const cache = new AnswerCache(4096);
    const fits = 1024 - 56 - nameOf(2).length - 1 - 7;
    const large = { ...plain(2), body: new Uint8Array(fits + 8).fill(7), ttls: Uint16Array.of() };
    cache.store(entryOf(plain(1)));
    assertEntry(cache, cache.store(entryOf(large)), large);
    assert.deepEqual([isThere(cache, 1) >= 0, isThere(cache, 2), cache.count], [true, -1, 1]);
    cache.store(entryOf({ ...large, body: new Uint8Array(fits) }));
    assert.ok(isThere(cache, 2) >= 0, 'eight bytes less fit');
    assertEntry(cache, cache.store(entryOf(large)), large);
    assert.equal(isThere(cache, 2), -1, 'the old answer is no longer true');
  });

  test('the largest possible entry is not stored in a cache without room', () => {
    const cache = new AnswerCache(0);
    const name = nameFromText(`${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)) ?? new Uint8Array(1);
    assert.equal(name.length, 255);
    const body = Uint8Array.from({ length: 65_535 }, (_, i) => i);
    const ttls = Uint16Array.from({ length: 5958 }, (_, i) => i * 11);
    const largest = { ...plain(1), name, body, ttls };
    assertEntry(cache, cache.store(entryOf(largest)), largest);
  });

  test('when all entries are in use the oldest is evicted', () => {
    const cache = new AnswerCache(8192);
    for (let number = 0; number < 500; number++) {
      const place = cache.store(entryOf(plain(number)));
      cache.words[place + Entry.nameAndState] = (cache.words[place + Entry.nameAndState] ?? 0) | State.used;
    }
    assert.ok(isThere(cache, 499) >= 0);
    assert.ok(cache.count > 20);
  });
});
