// Queries at a steady rate from one socket, each answered or not: what tests say about DNS under load. It
// speaks just enough of the protocol (RFC 1035 section 4) and shares no code with the service.

import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
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
  /** Packets that found a full buffer: a machine that is too busy, and no fault of the service. */
  readonly dropped: number;
  /** How often each response code came. */
  readonly codes: Readonly<Record<number, number>>;
};

/** Waits so long for the last answers, if any is missing. */
type StopLoad = (maxMs?: number) => Promise<LoadResult>;

/** Sockets that ask: each has a buffer of its own for answers. */
const clients = 8;
const burstEveryMs = 5;
/** A generator that was kept from its work does not make up for it: the burst would overrun the socket. */
const burstMax = 25;
const lastAnswersMaxMs = 15_000;

/** Asks until told to stop; the result counts what was answered within the time that is left for the last. */
export const startLoad = ({ port, perSecond, names }: LoadOptions): StopLoad => {
  const open = new Map<string, { readonly name: string; readonly sentMs: number }>();
  const codes: Record<number, number> = {};
  let [asked, slowestMs, left] = [0, 0, 0];
  const onAnswer = (answer: Buffer): void => {
    const question = questionOf(answer);
    const sent = open.get(question);
    if (sent === undefined) return;
    open.delete(question);
    const code = (answer[3] ?? 0) & 15;
    codes[code] = (codes[code] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, performance.now() - sent.sentMs);
  };
  // A test that failed forgets them; that must not keep the file from ending.
  const sockets = Array.from({ length: clients }, () => createSocket('udp4').unref().on('message', onAnswer));
  const ask = (): void => {
    const name = (names[asked % names.length] ?? '').replace('#', String(asked));
    const packet = query(asked & 0xffff, name);
    open.set(questionOf(packet), { name, sentMs: performance.now() });
    sockets[asked % clients]?.send(packet, port, '127.0.0.1');
    asked++;
  };
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond) - asked - left;
    for (let count = 0; count < Math.min(due, burstMax); count++) ask();
    left += Math.max(0, due - burstMax);
  }, burstEveryMs).unref();
  return async (maxMs = lastAnswersMaxMs) => {
    clearInterval(timer);
    for (let waitedMs = 0; open.size > 0 && waitedMs < maxMs; waitedMs += 20) await sleep(20);
    const dropped = dropsOf([port, ...sockets.map((socket) => socket.address().port)]);
    for (const socket of sockets) socket.close();
    return { asked, unanswered: [...open.values()].map(({ name }) => name), slowestMs, codes, dropped };
  };
};

/** What the system threw away because a buffer was full, by local port, as it counts for each socket. */
const dropsOf = (ports: readonly number[]): number =>
  readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .map((line) => /:([0-9A-F]{4}) .* (\d+)\s*$/.exec(line))
    .filter((found) => ports.includes(Number.parseInt(found?.[1] ?? '0', 16)))
    .reduce((sum, found) => sum + Number(found?.[2] ?? 0), 0);

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
