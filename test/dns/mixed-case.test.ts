// The service sends queries to upstreams in mixed case, so that replies are harder to forge. Clients must not
// see that case, even from an upstream that writes names out instead of pointing to the question.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

import { runQuery } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';

/** Answers with the name in the case of the query, without compression. */
const startEcho = async (t: TestContext): Promise<number> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (query, { port, address }) => {
    let end = 12;
    while (end < query.length && query[end] !== 0) end += 1 + (query[end] ?? 0);
    const question = query.subarray(12, end + 5);
    const name = query.subarray(12, end + 1);
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    const data = Buffer.from([0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
    socket.send(Buffer.concat([head, question, name, data]), port, address);
  });
  await once(socket, 'listening');
  t.after(() => socket.close());
  return socket.address().port;
};

test('an answer has the name in the case of the query or in lower case', async (t) => {
  const upstream = await startEcho(t);
  const service = await bootDns(t, { env: { SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream}` } });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  for (const name of ['a-long-enough-name.example.org', 'A-LONG-enough-NAME.example.org']) {
    const { answer } = await runQuery('dig', server, `${name} A`);
    const owner = (answer[0] ?? '').split(' ', 1)[0] ?? '';
    assert.ok([`${name}.`, `${name.toLowerCase()}.`].includes(owner), `${name} was answered with ${owner}`);
  }
});
