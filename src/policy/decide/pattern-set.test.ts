import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as re2js from 're2js';
import { PatternBudget } from '../patterns/budget.ts';
import { PatternReader } from '../patterns/pattern-reader.ts';
import { CompiledPolicy, createPolicy } from './compiled-policy.ts';
import { createOwnLayer } from './own-layer.ts';
import { decided, nameOf, ownRule, policyOf, ruleOf, snapshotOf } from '#testing/policy/rules';
import { NameText } from './name-text.ts';
import { PatternSet } from './pattern-set.ts';

function plain(text: string) {
  return { text, isInverted: false };
}
function setOf(...texts: string[]): PatternSet {
  return new PatternSet(texts.map(plain), new PatternReader(re2js));
}

let print = 0;
function match(set: PatternSet, text: string, low = (print += 1), high = 7): readonly number[] {
  return set.match(nameOf(text), nameOf(text).length, low, high, new PatternBudget());
}

describe('a set of patterns', () => {
  const set = setOf('^ad[sx]?[0-9]*[.]', 'TRACK', '[.]test$', 'a{2,3}');
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['ads12.example', [0]],
    ['tracking.example', [1]],
    ['ad.track.test', [0, 1, 2]],
    ['test', []],
    ['baab.example', [3]],
    ['example', []],
  ];
  for (const [name, expected] of cases)
    it(`${name} matches ${expected.join() || 'none'}`, () => assert.deepEqual(match(set, name), expected));

  it('caches results by fingerprint', () => {
    assert.deepEqual(match(set, 'ads.example', 4711), [0]);
    // The same fingerprint means the same name.
    assert.deepEqual(match(set, 'example', 4711), [0]);
    assert.deepEqual(match(set, 'example', 4711, 8), []);
    assert.deepEqual(match(set, 'ads.example', 4711), [0]);
    assert.deepEqual(match(set, 'example', 4711 + 16_384), []);
    assert.deepEqual(match(set, 'example', 4711), []);
  });

  it('works with more different results than it caches', () => {
    const letters = Array.from({ length: 13 }, (_, at) => String.fromCodePoint(0x61 + at));
    const many = setOf(...letters);
    for (let bits = 1; bits < 8192; bits++) {
      const expected = letters.flatMap((_, at) => (((bits >> at) & 1) === 1 ? [at] : []));
      const name = expected.map((at) => letters[at]).join('');
      assert.deepEqual(match(many, `${name}.z`), expected);
    }
  });

  it('works with results of thousands of patterns each', () => {
    const inverted = Array.from({ length: 3000 }, (_, at) => ({ text: `x${at}y`, isInverted: true }));
    const many = new PatternSet(inverted, new PatternReader(re2js));
    for (let at = 0; at < 200; at++) {
      const matched = match(many, `x${at}y.z`);
      assert.equal(matched.length, 2999);
      assert.equal(matched.includes(at), false);
    }
  });

  it('skips a pattern that cannot be compiled, and reports it', () => {
    const some = setOf('^a', '(', 'b$', '[', 'c');
    assert.deepEqual(some.failed, [1, 3]);
    assert.deepEqual(match(some, 'a.c.b'), [0, 2, 4]);
  });

  it('matches in linear time where backtracking engines take exponential time', () => {
    const evil = setOf('^(a+)+$', '(a|aa)+x');
    assert.deepEqual(match(evil, `${'a'.repeat(60)}.${'a'.repeat(60)}`), []);
  });

  it('is reused by the next policy while its patterns are the same', () => {
    const first = policyOf({ 1: [ruleOf('regex ^a')] });
    const second = policyOf({ 1: [ruleOf('regex ^a')], 2: [ruleOf('b')] }, [], { previous: first });
    const third = policyOf({ 1: [ruleOf('regex ^b')] }, [ownRule(1, ruleOf('regex ^c'))], {
      previous: second,
    });
    assert.equal(decided(first, 'a.x'), 'block list 1');
    assert.equal(decided(second, 'a.x'), 'block list 1');
    assert.equal(decided(third, 'a.x'), 'pass');
    assert.equal(decided(third, 'b.x'), 'block list 1');
    assert.equal(decided(third, 'c.x'), 'block rule 1');
  });
});

describe('building a policy', () => {
  it('loads the pattern engine only when there are patterns', async () => {
    const rest = { version: 1, clients: [], defaultGroups: [0], isBlocking: true };
    for (const words of ['regex ^x', 'x.y']) {
      const lists = snapshotOf({ 1: [ruleOf(words)] });
      const own = createOwnLayer([], Int32Array.of(9, 9, 9, 9));
      const options = { ...rest, lists, own, listsInForce: [{ id: 1, groups: [0], name: '' }] };
      assert.equal(decided(await createPolicy(options), 'x.y'), 'block list 1');
    }
    const bare = { ...rest, lists: snapshotOf({ 1: [ruleOf('regex x')] }), listsInForce: [] };
    const own = createOwnLayer([], bare.lists.key);
    assert.throws(() => new CompiledPolicy({ ...bare, own }, undefined), /patterns/);
  });
});

describe('the text of a name', () => {
  const text = new NameText();
  const textOf = (name: Uint8Array): string => Buffer.from(text.of(name, name.length)).toString('latin1');
  it('has dots between labels only, and one odd character for each odd byte', () => {
    assert.equal(textOf(nameOf('a.b-1.example')), 'a.b-1.example');
    assert.equal(textOf(Uint8Array.of(0)), '');
    assert.equal(textOf(Uint8Array.of(3, 0x61, 0x2e, 0xff, 1, 0x5c, 0)), 'a\x7f\x7f.\x7f');
  });
  it('of the longest name of odd bytes has 253 characters', () => {
    const name = new Uint8Array(255).fill(0x80);
    for (const at of [0, 64, 128, 192]) name[at] = at === 192 ? 61 : 63;
    name[254] = 0;
    assert.equal(textOf(name).length, 253);
  });
});
