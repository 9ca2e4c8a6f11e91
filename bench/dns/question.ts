// One question at a time over UDP, for what is timed from outside: how long until a server answers at all,
// or answers in a certain way.

import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';

import packet, { type DecodedPacket } from 'dns-packet';

const PATIENCE_MS = 120_000;
const ANSWER_MAX_MS = 20;
const PAUSE_MS = 2;

/** Resolves as soon as there is any answer. */
export const firstAnswer = (port: number): Promise<void> => untilAnswered(port, 'localhost', () => true);

/** Asks for the address of a name, again and again, until the answer is the one that is waited for. */
export async function untilAnswered(
  port: number,
  name: string,
  isIt: (answer: DecodedPacket) => boolean,
): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask(port, name);
    if (answer !== undefined && isIt(answer)) return;
    if (performance.now() > endMs) throw new Error(`Port ${port} never gave the answer for ${name}.`);
    await sleep(PAUSE_MS);
  }
}

/** As the default answer of a rule that blocks. */
export const isBlocked = ({ answers = [] }: DecodedPacket): boolean =>
  answers.some((answer) => answer.type === 'A' && answer.data === '0.0.0.0');

/** Nothing when no answer comes soon. */
async function ask(port: number, name: string): Promise<DecodedPacket | undefined> {
  const socket = createSocket('udp4');
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | undefined>();
  socket.on('error', () => resolve(undefined));
  socket.on('message', (bytes) => resolve(packet.decode(bytes)));
  const question = { type: 'query' as const, id: 1, flags: packet.RECURSION_DESIRED };
  socket.send(packet.encode({ ...question, questions: [{ type: 'A', name }] }), port, '127.0.0.1');
  const timer = setTimeout(() => resolve(undefined), ANSWER_MAX_MS);
  const answer = await promise;
  clearTimeout(timer);
  socket.close();
  return answer;
}
