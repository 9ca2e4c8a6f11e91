// Sends one query at a time over UDP, to measure how long a server takes until it answers, or until it gives
// a certain answer.

import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';

import packet, { type DecodedPacket } from 'dns-packet';

const PATIENCE_MS = 120_000;
const MAX_ANSWER_MS = 20;
const PAUSE_MS = 2;

/** Resolves with the first answer. */
export function firstAnswer(port: number): Promise<void> {
  return untilAnswered(port, 'localhost', () => true);
}

/** Queries the address of a name repeatedly until the answer is the expected one. */
export async function untilAnswered(
  port: number,
  name: string,
  isIt: (answer: DecodedPacket) => boolean,
): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await query(port, name);
    if (answer !== undefined && isIt(answer)) return;
    if (performance.now() > endMs)
      throw new Error(`Port ${port} never gave the expected answer for ${name}.`);
    await sleep(PAUSE_MS);
  }
}

/** The default answer of a blocking rule. */
export function isBlocked({ answers = [] }: DecodedPacket): boolean {
  return answers.some((answer) => answer.type === 'A' && answer.data === '0.0.0.0');
}

/** Undefined after a timeout. */
async function query(port: number, name: string): Promise<DecodedPacket | undefined> {
  const socket = createSocket('udp4');
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | undefined>();
  socket.on('error', () => resolve(undefined));
  socket.on('message', (bytes) => resolve(packet.decode(bytes)));
  const question = { type: 'query' as const, id: 1, flags: packet.RECURSION_DESIRED };
  socket.send(packet.encode({ ...question, questions: [{ type: 'A', name }] }), port, '127.0.0.1');
  const timer = setTimeout(() => resolve(undefined), MAX_ANSWER_MS);
  const answer = await promise;
  clearTimeout(timer);
  socket.close();
  return answer;
}
