import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type ClientReply, type ClientRequest } from './client.ts';

function recording(reply: ClientReply) {
  const sent: ClientRequest[] = [];
  const call = createClient(async (request) => {
    sent.push(request);
    return reply;
  });
  return { sent, call };
}

describe('the client', () => {
  it('escapes names in paths and adds the query', async () => {
    const { sent, call } = recording({ status: 200, body: {} });
    await call('getGroup', { params: { name: 'a/b ü?' } });
    await call('getConfig', { query: { detailed: true } });
    assert.deepEqual(sent, [
      { method: 'GET', path: '/api/groups/a%2Fb%20%C3%BC%3F' },
      { method: 'GET', path: '/api/config?detailed=true' },
    ]);
  });

  it('sends a body only where there is one', async () => {
    const { sent, call } = recording({ status: 201, body: {} });
    await call('createGroups', { body: { name: 'x' } });
    assert.deepEqual(sent, [{ method: 'POST', path: '/api/groups', body: { name: 'x' } }]);
  });

  it('an undeclared status is a failure with message and hint of the envelope', async () => {
    const { call } = recording({
      status: 404,
      body: { error: { key: 'not_found', message: 'Not found', hint: '/x' } },
    });
    const reply = await call('getGroup', { params: { name: 'x' } });
    assert.deepEqual(reply, { ok: false, status: 404, message: 'Not found', hint: '/x' });
  });

  it('a reply without the envelope is a failure', async () => {
    for (const body of [undefined, null, 'text', { error: 'text' }, { error: { message: 5 } }]) {
      const reply = await recording({ status: 502, body }).call('getStatus');
      assert.equal(reply.ok, false);
    }
  });
});
