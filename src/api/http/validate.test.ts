import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { maxKey, type Endpoint } from '#contract';
import { parseJson } from './json.ts';
import { createCheck, createValidator } from './validate.ts';

const declared: Endpoint = {
  method: 'PUT',
  path: '/x/{name}',
  topic: 'service',
  access: 'open',
  summary: 'x',
  params: Type.Object({ name: Type.String({ maxLength: 5 }) }),
  query: Type.Object({
    detailed: Type.Optional(Type.Boolean()),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    most: Type.Optional(Type.Integer({ minimum: 0, [maxKey]: 10 })),
    ratio: Type.Optional(Type.Number()),
    word: Type.Optional(Type.String()),
    type: Type.Optional(Type.Enum(['allow', 'block'])),
  }),
  body: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }),
  fieldErrors: { name: { missing: 'noGroupName', wrong: 'duplicate' } },
  replies: {},
  errors: [],
};
const validate = createValidator(declared);
function check(part: { params?: Record<string, string>; query?: Record<string, unknown>; body?: string }) {
  const body = part.body === undefined ? '{"name":"x"}' : part.body;
  return validate({
    params: part.params ?? { name: 'x' },
    query: part.query ?? {},
    body: body === '' ? undefined : parseJson(Buffer.from(body)),
  });
}
function failureOf(part: Parameters<typeof check>[0]): string | undefined {
  const checked = check(part);
  return 'failure' in checked ? checked.failure : undefined;
}

const checkPlaces = createCheck(
  Type.Object({
    rules: Type.Optional(Type.Array(Type.Object({ type: Type.String(), kind: Type.Enum(['a', 'b']) }))),
    who: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0 })])),
    names: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })])),
    dates: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  }),
);

describe('query parameters', () => {
  const cases: readonly (readonly [query: Record<string, unknown>, expected: unknown])[] = [
    [{ detailed: 'true' }, { detailed: true }],
    [{ DETAILED: 'False' }, { detailed: false }],
    [
      { count: '7', ratio: '0.5', word: '7' },
      { count: 7, ratio: 0.5, word: '7' },
    ],
    [{ ratio: '1e5' }, { ratio: 100_000 }],
    [{ ratio: '5E-7' }, { ratio: 5e-7 }],
    [{ count: ['3', '4'] }, { count: 3 }],
    [{ unknown: 'x' }, {}],
    [{ detailed: '', count: '', ratio: '', word: '', type: '' }, {}],
    [{ most: '11' }, { most: 10 }],
    [{ most: '9' }, { most: 9 }],
  ];
  for (const [query, expected] of cases) {
    it(`${JSON.stringify(query)} are read as ${JSON.stringify(expected)}`, () => {
      const checked = check({ query });
      assert.ok(!('failure' in checked));
      assert.deepEqual(checked.query, expected);
    });
  }

  for (const query of [
    { detailed: 'yes' },
    { count: '0' },
    { count: '1.5' },
    { most: '-1' },
    { count: '1e1' },
    { ratio: '1e' },
    { ratio: '1e999' },
  ]) {
    it(`${JSON.stringify(query)} is refused and named`, () => {
      const checked = check({ query });
      assert.ok('failure' in checked && checked.failure === 'invalidParameter');
      assert.ok(JSON.stringify(checked.hint).startsWith(`"${Object.keys(query)[0] ?? '?'}`));
    });
  }

  it('an unknown value of an enum is refused with the list of allowed values', () => {
    const checked = check({ query: { type: 'foo' } });
    assert.ok('failure' in checked);
    assert.equal(checked.hint, 'type: must be one of allow, block');
  });
});

describe('parameters of the path', () => {
  it('are limited in length', () => {
    assert.equal(failureOf({ params: { name: '12345' } }), undefined);
    assert.equal(failureOf({ params: { name: '123456' } }), 'invalidParameter');
  });
  it('with a NUL are refused', () =>
    assert.equal(failureOf({ params: { name: 'a\0b' } }), 'invalidParameter'));
});

describe('bodies', () => {
  const cases: readonly (readonly [body: string, failure: string | undefined])[] = [
    ['{"name":"x"}', undefined],
    ['', 'noBody'],
    ['{', 'invalidBody'],
    ['[]', 'invalidBody'],
    ['null', 'invalidBody'],
    ['"text"', 'invalidBody'],
    ['{}', 'noGroupName'],
    ['{"name":5}', 'duplicate'],
    ['{"name":null}', 'duplicate'],
    ['{"name":"x","size":"5"}', 'invalidField'],
    ['{"name":"x","size":5.5}', 'invalidField'],
  ];
  for (const [body, failure] of cases)
    it(`${body || '(none)'}: ${failure ?? 'accepted'}`, () => assert.equal(failureOf({ body }), failure));

  const places: readonly (readonly [value: unknown, text: string])[] = [
    [5, 'body: must be object'],
    [{ rules: 5 }, 'rules: must be array'],
    [{ rules: [{}] }, 'rules[0]: must have required properties type, kind'],
    [{ rules: [{ type: 'x', kind: 'c' }] }, 'rules[0].kind: must be one of a, b'],
    [{ who: null }, 'who: must be string or integer'],
    [{ who: -1 }, 'who: must be >= 0'],
    [{ who: '' }, 'who: must not have fewer than 1 characters'],
    [{ names: 5 }, 'names: must be string or array'],
    [{ names: [5] }, 'names[0]: must be string'],
    [{ names: [] }, 'names: must not have fewer than 1 items'],
    [{ rules: 5, who: null }, 'rules: must be array'],
    [{ dates: { 'a/b': 'x' } }, 'dates.a/b: must be integer'],
  ];
  for (const [value, text] of places)
    it(`${JSON.stringify(value)} is refused with the path of the wrong value`, () =>
      assert.equal(checkPlaces(value), text));

  it('with an array that is too long are refused before any of its elements is read', () => {
    const untouchable = {
      get: (items: unknown[], key: PropertyKey) => (key === 'length' ? 1001 : fault(items)),
    };
    const fault = (_items: unknown[]): never => assert.fail('an element was read');
    const items: unknown = new Proxy([], untouchable);
    const crowded = (value: unknown) =>
      createCheck(Type.Object({ a: Type.Object({ b: Type.Array(Type.Array(Type.String(), some), some) }) }))(
        value,
      );
    const some = { maxItems: 1000 };
    assert.equal(crowded({ a: { b: items } }), 'a.b: must not have more than 1000 items');
    assert.equal(crowded({ a: { b: [[], items] } }), 'a.b[1]: must not have more than 1000 items');
    const either = createCheck(Type.Union([Type.String(), Type.Array(Type.Integer(), some)]));
    assert.equal(either(items), 'body: must not have more than 1000 items');
  });

  it('report undeclared fields, except the session id', () => {
    const checked = check({ body: '{"name":"x","a":1,"sid":"s","__proto__":2}' });
    assert.ok(!('failure' in checked));
    assert.deepEqual(checked.ignored, ['a', '__proto__']);
  });

  it('report at most 32 undeclared fields', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 1]));
    const checked = check({ body: JSON.stringify({ name: 'x', ...many }) });
    assert.ok(!('failure' in checked));
    assert.equal(checked.ignored.length, 32);
  });
});
