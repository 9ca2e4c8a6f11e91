import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchRegexes } from './match-regexes.ts';

const regexes = [
  { id: 3, domain: '^ad[0-9]+\\.' },
  { id: 4, domain: 'example' },
  { id: 5, domain: 'example$;querytype=AAAA' },
  { id: 6, domain: '^ad;invert' },
  { id: 7, domain: '(' },
];

describe('matchRegexes', () => {
  const rows: readonly (readonly [string, readonly number[]])[] = [
    ['ad1.example', [3, 4, 5]],
    ['www.example', [4, 5, 6]],
    ['www.test', [6]],
    ['adverts', []],
    ['..', []],
    ['', []],
  ];
  for (const [text, ids] of rows)
    it(`returns [${ids.join(', ')}] for "${text}"`, async () =>
      assert.deepEqual(await matchRegexes(regexes, text), ids));
  it('returns nothing without regular expressions', async () =>
    assert.deepEqual(await matchRegexes([], 'ad1.example'), []));
});
