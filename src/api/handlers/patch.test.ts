import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyPatch, type Operation } from './patch.ts';

describe('JSON Merge Patch: the examples of RFC 7396 appendix A', () => {
  const cases: readonly (readonly [target: object, patch: object, result: unknown])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) {
    it(`${JSON.stringify(patch)} changes ${JSON.stringify(target)} to ${JSON.stringify(result)}`, () => {
      assert.deepEqual(applyPatch(target, patch), { ok: true, value: result });
    });
  }
});

describe('JSON Patch: the examples of RFC 6902 appendix A', () => {
  const cases: readonly (readonly [target: object, patch: readonly Operation[], result: unknown])[] = [
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      { foo: { bar: 'baz' }, qux: {} },
      [{ op: 'move', from: '/foo/bar', path: '/qux/thud' }],
      { foo: {}, qux: { thud: 'baz' } },
    ],
    [
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [{ baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'qux' }], { baz: 'qux' }],
    [{ a: { b: [1], c: 2 } }, [{ op: 'test', path: '/a', value: { c: 2, b: [1] } }], { a: { b: [1], c: 2 } }],
    [
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [{ a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
  ];
  for (const [target, patch, result] of cases) {
    it(`applies ${JSON.stringify(patch)}`, () =>
      assert.deepEqual(applyPatch(target, patch), { ok: true, value: result }));
  }

  const refused: readonly (readonly [target: object, patch: readonly Operation[]])[] = [
    [{ baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
    [{ a: { b: [1, 2] } }, [{ op: 'test', path: '/a', value: { b: [2, 1] } }]],
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
    [{ '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
    [{ a: 1 }, [{ op: 'remove', path: '/b' }]],
    [{ a: 1 }, [{ op: 'replace', path: '/b', value: 1 }]],
    [{ a: [1] }, [{ op: 'add', path: '/a/2', value: 1 }]],
    [{ a: [1] }, [{ op: 'add', path: '/a/01', value: 1 }]],
    [{ a: [1] }, [{ op: 'remove', path: '/a/1' }]],
    [{ a: 1 }, [{ op: 'add', path: 'a', value: 1 }]],
    [{ a: 1 }, [{ op: 'add', path: '', value: 1 }]],
    [{ a: 1 }, [{ op: 'add', path: '/b' }]],
    [{ a: 1 }, [{ op: 'move', path: '/b' }]],
    [{ a: 1 }, [{ op: 'remove', path: '/toString' }]],
  ];
  for (const [target, patch] of refused) {
    it(`refuses ${JSON.stringify(patch)}`, () => {
      const patched = applyPatch(target, patch);
      assert.ok(!patched.ok);
      assert.match(patched.problem, /^operation 0 \(/);
    });
  }

  it('is refused when the item would become too large', () => {
    const whole: Operation = { op: 'copy', from: '', path: '/a' };
    assert.equal(applyPatch({ a: 1 }, [whole]).ok, false);
    const doubling = Array.from({ length: 60 }, (_, index): Operation => ({
      op: 'copy',
      from: '/a',
      path: `/a/${index}`,
    }));
    const patched = applyPatch({ a: ['x'.repeat(1_000)] }, doubling);
    assert.ok(!patched.ok);
    assert.match(patched.problem, /too large/);
  });

  it('is applied as a whole or not at all', () => {
    const item = { a: [1], b: 2 };
    applyPatch(item, [
      { op: 'remove', path: '/b' },
      { op: 'remove', path: '/none' },
    ]);
    applyPatch(item, { a: null });
    assert.deepEqual(item, { a: [1], b: 2 });
  });

  it('does not change the prototype', () => {
    applyPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]);
    applyPatch({}, JSON.parse('{"__proto__": {"polluted": 1}}'));
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});
