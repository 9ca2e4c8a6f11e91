import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionalReply } from './conditional.ts';

const reply = { status: 200, headers: { etag: '"a.b"', 'content-type': 'text/plain' }, payload: 'x' };

describe('If-None-Match', () => {
  const table: readonly (readonly [header: string, status: number])[] = [
    ['"a.b"', 304],
    ['W/"a.b"', 304],
    ['"x", "a.b"', 304],
    ['*', 304],
    ['"a"', 200],
    ['a.b', 200],
    ['', 200],
    ['"A.B"', 200],
  ];
  for (const [header, status] of table) {
    it(`${header || '(empty)'} gets ${status}`, () =>
      assert.equal(conditionalReply(reply, 'GET', header).status, status));
  }

  it('of a weak tag compares weakly', () => {
    const weak = { ...reply, headers: { etag: 'W/"d"' } };
    assert.equal(conditionalReply(weak, 'HEAD', '"d"').status, 304);
  });

  it('gets 304 with the tag and without a body', () =>
    assert.deepEqual(conditionalReply(reply, 'GET', '*'), {
      status: 304,
      headers: { etag: '"a.b"' },
      payload: undefined,
    }));

  it('has no effect on other methods, other statuses and replies without a tag', () => {
    assert.equal(conditionalReply(reply, 'PUT', '*'), reply);
    const [made, untagged] = [
      { ...reply, status: 201 },
      { ...reply, headers: {} },
    ];
    assert.equal(conditionalReply(made, 'GET', '*'), made);
    assert.equal(conditionalReply(untagged, 'GET', '*'), untagged);
  });
});
