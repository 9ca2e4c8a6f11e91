// Sends DNS queries at a steady rate from a few sockets and records which were answered, for tests of DNS
// under load. It implements just enough of the protocol (RFC 1035 section 4) and shares no code with the
// service.

import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export type LoadOptions = {
  readonly port: number;
  readonly perSecond: number;
  /** Queried in turn; `#` is replaced by the number of the query. */
  readonly names: readonly string[];
};

export type LoadResult = {
  readonly asked: number;
  readonly unanswered: readonly string[];
  readonly slowestMs: number;
  /**
   * Packets that the kernel dropped because a buffer was full: the machine is too busy, not a fault of the
   * service.
   */
  readonly dropped: number;
  /** How many answers had each response code. */
  readonly codes: Readonly<Record<number, number>>;
};

/** Stops the load; waits at most `maxMs` for missing answers. */
type StopLoad = (maxMs?: number) => Promise<LoadResult>;

/** Number of client sockets: each has its own receive buffer. */
const clients = 8;
const burstEveryMs = 5;
/**
 * After a stall the generator skips the missed queries: sending them in one burst would overrun the socket.
 */
const maxBurst = 25;
const maxLastAnswersMs = 15_000;

/** Sends queries until the returned function is called, which reports the answers received by then. */
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
  // A failed test does not close them; they must not keep the test file alive.
  const sockets = Array.from({ length: clients }, () => createSocket('udp4').unref().on('message', onAnswer));
  const sendNext = (): void => {
    const name = (names[asked % names.length] ?? '').replace('#', String(asked));
    const packet = query(asked & 0xffff, name);
    open.set(questionOf(packet), { name, sentMs: performance.now() });
    sockets[asked % clients]?.send(packet, port, '127.0.0.1');
    asked++;
  };
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond) - asked - left;
    for (let count = 0; count < Math.min(due, maxBurst); count++) sendNext();
    left += Math.max(0, due - maxBurst);
  }, burstEveryMs).unref();
  return async (maxMs = maxLastAnswersMs) => {
    clearInterval(timer);
    for (let waitedMs = 0; open.size > 0 && waitedMs < maxMs; waitedMs += 20) await sleep(20);
    const dropped = dropsOf([port, ...sockets.map((socket) => socket.address().port)]);
    for (const socket of sockets) socket.close();
    return { asked, unanswered: [...open.values()].map(({ name }) => name), slowestMs, codes, dropped };
  };
};

/** Packets that the kernel dropped because a buffer was full, from its counters per socket. */
const dropsOf = (ports: readonly number[]): number =>
  readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .map((line) => /:([0-9A-F]{4}) .* (\d+)\s*$/.exec(line))
    .filter((found) => ports.includes(Number.parseInt(found?.[1] ?? '0', 16)))
    .reduce((sum, found) => sum + Number(found?.[2] ?? 0), 0);

/** The id and the question, which together identify a query. */
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
