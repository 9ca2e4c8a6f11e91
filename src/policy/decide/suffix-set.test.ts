import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isBelowOrSame } from '#wire';
import { nameOf, randomFrom } from '#testing/policy/rules';
import { SuffixHasher } from '../snapshot/suffix-hash.ts';
import { SuffixSet } from './suffix-set.ts';

const key = Int32Array.of(5, 6, 7, 8);

it('a set covers its names and names below them, as a comparison of bytes says', () => {
  const random = randomFrom(3);
  const labels = ['a', 'b', 'ab', 'x-1', 'com'];
  const randomName = (): Uint8Array =>
    nameOf(Array.from({ length: 1 + random(4) }, () => labels[random(labels.length)]).join('.'));
  let covered = 0;
  for (let round = 0; round < 300; round++) {
    const names = Array.from({ length: 1 + random(40) }, randomName);
    const set = new SuffixSet(names, new SuffixHasher(key));
    const hasher = new SuffixHasher(key);
    for (let asked = 0; asked < 20; asked++) {
      const name = randomName();
      hasher.hash(name, name.length);
      const expected = names.some((other) => isBelowOrSame(name, name.length, other));
      assert.equal(set.covers(hasher), expected);
      covered += expected ? 1 : 0;
    }
  }
  assert.ok(covered > 1000 && covered < 5500, `${covered} covered`);
});

it('a lookup costs the labels of the queried name, or the different lengths in the set', () => {
  const names = Array.from({ length: 500 }, (_, at) => nameOf(`n${at}.example`));
  const hasher = new SuffixHasher(key);
  const set = new SuffixSet([...names, nameOf('a.b.c.example')], hasher);
  const cases = [
    ['x', 1],
    ['x.y', 2],
    ['a.b.c.d.e.f.g', 2],
  ] as const;
  for (const [name, lookups] of cases) {
    hasher.hash(nameOf(name), nameOf(name).length);
    assert.equal(set.lookups(hasher), lookups, name);
  }
});
