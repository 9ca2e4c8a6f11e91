import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors, fail, type ErrorName } from '#contract';
import { rawFailure, toReply } from './envelope.ts';

function bodyOf(payload: unknown): unknown {
  return JSON.parse(payload instanceof Uint8Array ? Buffer.from(payload).toString() : String(payload));
}

describe('toReply', () => {
  it('puts took at the end of every object', () => {
    assert.deepEqual(bodyOf(toReply({ status: 200, body: {} }, 1.5, []).payload), { took: 0.0015 });
    assert.deepEqual(bodyOf(toReply({ status: 200, body: { a: 1 } }, 0, []).payload), { a: 1, took: 0 });
  });

  it('completes JSON that the read model has serialised', () => {
    const openJson = '{"groups":["ü"]';
    const { payload } = toReply({ status: 200, body: { openJson } }, 2, []);
    assert.deepEqual(bodyOf(payload), { groups: ['ü'], took: 0.002 });
  });

  it('names the ignored fields of the validator and of the handler', () => {
    const outcome = { status: 200, body: {}, ignored: ['config.x'] };
    assert.deepEqual(bodyOf(toReply(outcome, 0, ['y']).payload), { ignored: ['y', 'config.x'], took: 0 });
  });

  it('sends no body and no Content-Type for an outcome without a body', () => {
    const reply = toReply({ status: 204 }, 0, []);
    assert.equal(reply.payload, undefined);
    assert.equal(reply.headers['content-type'], undefined);
  });

  it('keeps the bytes and the media type of a stream', () => {
    const stream = { mediaType: 'text/css', bytes: Buffer.from('x') };
    const reply = toReply({ status: 200, stream }, 0, []);
    assert.equal(reply.payload, stream.bytes);
    assert.equal(reply.headers['content-type'], 'text/css');
  });
});

describe('failures', () => {
  for (const name of Object.keys(errors) as ErrorName[] /* its keys are its names */) {
    it(`${name} has status, key, message and hint`, () => {
      const { status, payload, headers } = toReply(fail(name, 'because'), 0, []);
      const { key, message } = errors[name];
      assert.equal(status, errors[name].status);
      assert.deepEqual(bodyOf(payload), { error: { key, message, hint: 'because' }, took: 0 });
      assert.equal('retry-after' in headers, status === 429 || status === 503);
      assert.equal(headers['x-content-type-options'], 'nosniff');
    });
  }

  it('contain the fields beside the error', () => {
    const { payload } = toReply(fail('duplicate', { argument: 'x' }, { beside: { processed: 1 } }), 0, []);
    assert.deepEqual(Object.keys(Object(bodyOf(payload))), ['error', 'processed', 'took']);
  });

  it('can be written as raw HTTP without a request', () => {
    const [head = '', body = ''] = rawFailure('headersTooLarge', 'too much').split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 431 /);
    assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}\\r\\n`));
    assert.match(head, /connection: close/);
    assert.equal(Object(bodyOf(body)).error.hint, 'too much');
  });
});
