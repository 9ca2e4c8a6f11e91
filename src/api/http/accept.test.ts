import assert from 'node:assert/strict';
import { it } from 'node:test';
import { prefersText } from './accept.ts';

const rows: readonly (readonly [string | undefined, boolean])[] = [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['text/plain', true],
  ['TEXT/Plain; charset=utf-8', true],
  ['text/*', true],
  ['text/plain, application/json', false],
  ['text/plain;q=0.5, application/json;q=0.4', true],
  ['text/plain;q=0.5, */*', false],
  ['application/json;q=0.1, text/*;q=0.2, */*;q=0.9', true],
  ['text/plain;q=0', false],
  ['text/plain;q=much', false],
  ['text/html, application/xhtml+xml, */*;q=0.8', false],
];
for (const [accept, isText] of rows)
  it(`${accept === undefined ? 'no Accept' : `Accept: ${accept}`} prefers ${isText ? 'text' : 'JSON'}`, () =>
    assert.equal(prefersText(accept), isText));
