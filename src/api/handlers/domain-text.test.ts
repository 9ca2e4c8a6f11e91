import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalDomain, shownDomain } from '#control/clients';
import { etagOf, mayChange } from './etag.ts';

describe('canonicalDomain', () => {
  const cases: readonly (readonly [text: string, domain: string | undefined])[] = [
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['localhost', 'localhost'],
    ['10.1', '10.1'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [`${'a'.repeat(64)}.example`, undefined],
    [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
    [`${'a.'.repeat(126)}aa`, undefined],
    ['', undefined],
    ['.', undefined],
    ['a..b', undefined],
    ['-a.example', undefined],
    ['a-.example', undefined],
    ['a b.example', undefined],
    ['http://a.example', undefined],
    ['*.example', undefined],
  ];
  for (const [text, domain] of cases) {
    it(`of "${text.slice(0, 30)}" is ${domain?.slice(0, 30) ?? 'undefined'}`, () =>
      assert.equal(canonicalDomain(text), domain));
  }
  it('is shown in Unicode', () => {
    assert.equal(shownDomain('xn--bcher-kva.example'), 'bücher.example');
    assert.equal(shownDomain('*.xn--bcher-kva.example;reply=IP'), '*.bücher.example;reply=IP');
  });
});

describe('If-Match', () => {
  const item = { id: 1 };
  const cases: readonly (readonly [header: string | undefined, item: object | undefined, ok: boolean])[] = [
    [undefined, undefined, true],
    [undefined, item, true],
    ['*', item, true],
    ['*', undefined, false],
    [etagOf(item), item, true],
    [`"other", ${etagOf(item)}`, item, true],
    ['"other"', item, false],
    [etagOf(item), undefined, false],
    [etagOf(item).replaceAll('"', ''), item, false],
    [etagOf(item, { shown: 1 }), item, true],
    [etagOf({ id: 2 }, item), item, false],
  ];
  for (const [header, state, ok] of cases) {
    it(`${header ?? '(none)'} ${ok ? 'allows' : 'refuses'} a change of ${JSON.stringify(state)}`, () => {
      assert.equal(mayChange(header, state), ok);
    });
  }
});
