import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { classText, rcodeText, typeFromText, typeText } from './code-text.ts';

describe('types', () => {
  const cases: readonly [string, number | undefined][] = [
    ['A', 1],
    ['aaaa', 28],
    ['HTTPS', 65],
    ['type65', 65],
    ['TYPE65280', 65_280],
    ['TYPE0', 0],
    ['TYPE65535', 65_535],
    ['TYPE65536', undefined],
    ['TYPE', undefined],
    ['TYPE1x', undefined],
    ['', undefined],
    ['NOSUCH', undefined],
    ['constructor', undefined],
  ];
  for (const [text, expected] of cases) {
    it(`'${text}'`, () => assert.equal(typeFromText(text), expected));
  }
  it('every number has a text that parses to the same number', () => {
    for (let type = 0; type <= 0xffff; type += 1) assert.equal(typeFromText(typeText(type)), type);
  });
  it('are written by name, or as TYPE with the number', () => {
    assert.deepEqual([1, 28, 65, 257, 65_280].map(typeText), ['A', 'AAAA', 'HTTPS', 'CAA', 'TYPE65280']);
  });
});

it('classes are written by name, or as CLASS with the number', () =>
  assert.deepEqual([1, 3, 255, 32].map(classText), ['IN', 'CH', 'ANY', 'CLASS32']));

it('rcodes are written by name, or as RCODE with the number', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 16, 99].map(rcodeText), [
    'NOERROR',
    'FORMERR',
    'SERVFAIL',
    'NXDOMAIN',
    'NOTIMP',
    'REFUSED',
    'BADVERS',
    'RCODE99',
  ]);
});
