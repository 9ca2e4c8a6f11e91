// Patterns of filters: what they match, and that no pattern takes long.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '../../../test/running/cpu-time.ts';
import { patternOf } from './pattern.ts';

const cases: readonly (readonly [pattern: string, text: string, fits: boolean])[] = [
  ['example.org', 'Example.ORG', true],
  ['example.org', 'an.example.org', false],
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['**', 'anything', true],
  ['*.example.org', 'a.example.org', true],
  ['*.example.org', 'example.org', false],
  ['ads*', 'ADS1.example', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*ab*ab*', 'ab', false],
  ['*ab*ab*', 'xabyabz', true],
  ['a*b*c', 'abxbxc', true],
  ['a*b*c', 'acb', false],
  ['a.c', 'abc', false],
  ['*[x]*', 'a[x]b', true],
];

test('a pattern matches by its wildcards, without regard to case', () => {
  for (const [pattern, text, fits] of cases)
    assert.equal(patternOf(pattern)(text), fits, `${pattern} and ${text}`);
});

test('a pattern with 60 wildcards is matched without backtracking', () => {
  const fits = patternOf(`${'*a'.repeat(60)}b`);
  // With backtracking this would take years.
  assert.ok(cpuMs(() => assert.equal(fits('a'.repeat(253)), false)) < 5_000);
});
