// Queries at a steady rate from one socket, each answered or not: what tests say about DNS under load. It
// speaks just enough of the protocol (RFC 1035 section 4) and shares no code with the service.

import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';

export type LoadOptions = {
  readonly port: number;
  readonly perSecond: number;
  /** Asked for in turn; `#` is replaced by the number of the query. */
  readonly names: readonly string[];
};

export type LoadResult = {
  readonly asked: number;
  readonly unanswered: readonly string[];
  readonly slowestMs: number;
  /** How often each response code came. */
  readonly codes: Readonly<Record<number, number>>;
};

const burstEveryMs = 5;
const lastAnswersMaxMs = 1_500;

/** Asks until told to stop; the result counts what was answered within the time that is left for the last. */
export const startLoad = ({ port, perSecond, names }: LoadOptions): (() => Promise<LoadResult>) => {
  // A test that failed forgets it; that must not keep the file from ending.
  const socket = createSocket('udp4').unref();
  const open = new Map<string, { readonly name: string; readonly sentMs: number }>();
  const codes: Record<number, number> = {};
  let [asked, slowestMs] = [0, 0];
  socket.on('message', (answer) => {
    const question = questionOf(answer);
    const sent = open.get(question);
    if (sent === undefined) return;
    open.delete(question);
    const code = (answer[3] ?? 0) & 15;
    codes[code] = (codes[code] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, performance.now() - sent.sentMs);
  });
  const ask = (): void => {
    const name = (names[asked % names.length] ?? '').replace('#', String(asked));
    const packet = query(asked & 0xffff, name);
    open.set(questionOf(packet), { name, sentMs: performance.now() });
    asked++;
    socket.send(packet, port, '127.0.0.1');
  };
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond) - asked;
    for (let count = 0; count < due; count++) ask();
  }, burstEveryMs).unref();
  return async () => {
    clearInterval(timer);
    for (let waitedMs = 0; open.size > 0 && waitedMs < lastAnswersMaxMs; waitedMs += 20) await sleep(20);
    socket.close();
    return { asked, unanswered: [...open.values()].map(({ name }) => name), slowestMs, codes };
  };
};

/** The id and the question: together they tell queries apart. */
const questionOf = (packet: Buffer): string => {
  let at = 12;
  while (at < packet.length && packet[at] !== 0) at += 1 + (packet[at] ?? 0);
  return (
    packet.subarray(0, 2).toString('hex') +
    packet
      .subarray(12, at + 5)
      .toString('latin1')
      .toLowerCase()
  );
};

/** Type A, class IN, recursion desired. */
export const query = (id: number, name: string): Buffer => {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
};
