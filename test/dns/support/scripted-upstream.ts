// An upstream that answers a name with the records of the test's script, and every other name with the
// address 192.0.2.1, because the service also resolves the names that answers lead to.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, type Answer } from 'dns-packet';

const ttlSeconds = 60;
const usualAddress = '192.0.2.1';

export type Script = Readonly<Record<string, readonly Answer[]>>;

export const addressRecord = (name: string, data: string): Answer => ({
  type: data.includes(':') ? 'AAAA' : 'A',
  name,
  ttl: ttlSeconds,
  data,
});

export const aliasRecord = (name: string, data: string): Answer => ({
  type: 'CNAME',
  name,
  ttl: ttlSeconds,
  data,
});

/** An HTTPS record (RFC 9460) from the bytes of its data. */
export const httpsRecord = (name: string, data: readonly number[]): Answer => ({
  // dns-packet has no name for this type and encodes the bytes of unknown types unchanged.
  type: 'UNKNOWN_65' as 'NULL',
  name,
  ttl: ttlSeconds,
  data: Buffer.from(data),
});

/** Returns the port it listens on. */
export const startScriptedUpstream = async (t: TestContext, script: Script): Promise<number> => {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    const { id, questions = [] } = decode(bytes);
    const [{ name, type } = { name: '', type: 'A' }] = questions;
    const records = script[name.toLowerCase()] ?? [addressRecord(name, usualAddress)];
    const answers = records.filter((record) => record.type === type || record.type === 'CNAME');
    // The question in the case of the query, which the service requires.
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE;
    socket.send(encode({ type: 'response', id, flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // A failed test may not close it; it must not keep the test file alive.
  socket.unref();
  t.after(() => socket.close());
  return socket.address().port;
};
