// An upstream that answers every address query with 192.0.2.1 after a delay, so that a test can act on the
// service while queries are in flight.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

export type Upstream = {
  readonly port: number;
  /** How many queries came for a name, in any case; without a name, how many came in total. */
  readonly asked: (name?: string) => number;
};

export const startUpstream = async (t: TestContext, delayMs: number, port = 0): Promise<Upstream> => {
  const socket = createSocket('udp4');
  const names: string[] = [];
  let isClosed = false;
  socket.on('message', (query, from) => {
    names.push(nameIn(query));
    setTimeout(() => isClosed || socket.send(answerTo(query), from.port, from.address), delayMs).unref();
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  // A failed test may not close it; it must not keep the test file alive.
  socket.unref();
  t.after(() => {
    isClosed = true;
    socket.close();
  });
  return {
    port: socket.address().port,
    asked: (name) => names.filter((one) => name === undefined || one === name).length,
  };
};

/** Labels joined by dots, in lower case. */
const nameIn = (query: Buffer): string => {
  const labels: string[] = [];
  for (let at = 12; (query[at] ?? 0) !== 0; at += 1 + (query[at] ?? 0))
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)).toLowerCase());
  return labels.join('.');
};

/** The question and one A record with a TTL of 60 s; everything else in the query is left out. */
const answerTo = (query: Buffer): Buffer => {
  let end = 12;
  while (end < query.length && query[end] !== 0) end += 1 + (query[end] ?? 0);
  const question = query.subarray(12, end + 5);
  const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  return Buffer.concat([head, question, record]);
};
