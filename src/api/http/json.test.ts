import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from '../../../test/running/properties.ts';
import { limits } from '#contract';
import { parseJson } from './json.ts';

function parse(text: string) {
  return parseJson(Buffer.from(text));
}
function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

describe('parseJson', () => {
  it('agrees with JSON.parse on well-formed text', () => {
    const sane = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => JSON.stringify(value) === JSON.stringify(value).toWellFormed());
    fc.assert(
      fc.property(sane, (value) => {
        const text = JSON.stringify(value);
        if (text.includes('\\u0000') || /\\ud[89a-f]/i.test(text)) return;
        assert.deepEqual(parse(text), { ok: true, value: JSON.parse(text) });
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, on any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof parseJson(bytes).ok === 'boolean'),
    );
    const almost = fc.stringMatching(/^[{}[\]:,"\\a1 ]{0,60}$/);
    fc.assert(
      fc.property(almost, (text) => typeof parse(text).ok === 'boolean'),
      { numRuns: 2_000 },
    );
  });

  it('accepts nesting up to the limit', () => {
    assert.equal(parse(nested(limits.jsonDepth)).ok, true);
    const deeper = parse(nested(limits.jsonDepth + 1));
    assert.ok(!deeper.ok && /nested deeper than/.test(deeper.problem));
  });

  it('accepts elements up to the limit, and refuses more before it parses the text', () => {
    const many = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
    assert.equal(parse(many(limits.jsonElements)).ok, true);
    const tooMany = { ok: false, problem: `The body has more than ${limits.jsonElements} elements.` };
    assert.deepEqual(parse(many(limits.jsonElements + 1)), tooMany);
    assert.deepEqual(parse('[{},'.repeat(2) + '[],'.repeat(limits.jsonElements / 2) + '!'), tooMany);
  });

  it('does not count commas and brackets within strings as elements', () => {
    assert.equal(parse(`["${',[{'.repeat(limits.jsonElements)}"]`).ok, true);
  });

  const refused: readonly (readonly [what: string, bytes: Buffer, problem: RegExp])[] = [
    ['an empty body', Buffer.from(''), /not valid JSON/],
    ['half an object', Buffer.from('{"a":'), /not valid JSON/],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ['an overlong sequence', Buffer.from([0x22, 0xc0, 0x80, 0x22]), /UTF-8/],
    ['the same key twice', Buffer.from('{"a":1,"a":2}'), /"a" stands twice/],
    ['the same key in two spellings', Buffer.from('{"a":1,"\\u0061":2}'), /stands twice/],
    ['the same key deep down', Buffer.from('[{"x":{"b":1,"b":1}}]'), /"b" stands twice/],
    ['a NUL', Buffer.from('{"a":"\\u0000"}'), /NUL/],
    ['a NUL in a key', Buffer.from('{"\\u0000":1}'), /NUL/],
    ['half a surrogate pair', Buffer.from('["\\ud800"]'), /surrogate/],
    ['a million brackets', Buffer.from('['.repeat(1_000_000)), /nested deeper/],
  ];
  for (const [what, bytes, problem] of refused) {
    it(`refuses ${what}`, () => {
      const parsed = parseJson(bytes);
      assert.ok(!parsed.ok);
      assert.match(parsed.problem, problem);
    });
  }

  const accepted = [
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '"{[:"',
    '{"__proto__":{"x":1}}',
  ];
  for (const text of accepted) it(`accepts ${text}`, () => assert.equal(parse(text).ok, true));

  it('does not let __proto__ reach the prototype', () => {
    const parsed = parse('{"__proto__":{"polluted":true}}');
    assert.ok(parsed.ok);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});
