// Sends DNS queries over UDP from within another network namespace: this file is also the program that runs
// there. It reads one order per line and prints one line of results. It accepts replies from any address, so
// that a test can check where a reply came from.

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { query } from '../../running/dns-load.ts';
import { atEnd, forgettable } from '../../running/leftovers.ts';
import { within } from '../../running/waiting.ts';

export type Order = {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly name: string;
  /** Number of queries, each sent when the previous one is answered or timed out. */
  readonly count?: number;
  readonly maxMs?: number;
};

export type Got = {
  /** The reply in hexadecimal; undefined without a reply in time. */
  readonly reply?: string;
  readonly from?: string;
  readonly fromPort?: number;
};

export type Probe = { readonly send: (order: Order) => Promise<readonly Got[]> };

const maxOrderMs = 180_000;
/** Long enough for the replacement of a thread, which happens on a busy machine. */
const maxReplyMs = 10_000;

export const startProbe = (t: TestContext, wrap: readonly string[]): Probe => {
  const [program, ...args] = [...wrap, process.execPath, import.meta.filename];
  const child = forgettable(spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  atEnd(() => child.kill('SIGKILL'));
  t.after(() => child.kill('SIGKILL'));
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  return {
    send: async (order) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const got: Got[] = JSON.parse(await within('The probe has sent its queries', maxOrderMs, promise));
      return got;
    },
  };
};

/** The response code; undefined without a reply. */
export const codeOf = ({ reply }: Got): number | undefined =>
  reply === undefined ? undefined : (Buffer.from(reply, 'hex')[3] ?? 0) & 15;

const runOrder = async ({ from, to, port, name, count = 1, maxMs = maxReplyMs }: Order): Promise<Got[]> => {
  const socket = createSocket(to.includes(':') ? 'udp6' : 'udp4');
  let deliver: (got: Got) => void = () => undefined;
  socket.on('message', (bytes, { address, port: fromPort }) =>
    deliver({ reply: bytes.toString('hex'), from: address, fromPort }),
  );
  await new Promise<void>((done) => void socket.bind(0, from, done));
  const all: Got[] = [];
  for (let id = 0; id < count; id++) {
    const { promise, resolve } = Promise.withResolvers<Got>();
    const timer = setTimeout(() => resolve({}), maxMs);
    deliver = resolve;
    socket.send(query(id, name), port, to);
    all.push(await promise);
    clearTimeout(timer);
  }
  socket.close();
  return all;
};

if (import.meta.main)
  createInterface({ input: process.stdin }).on('line', (line) => {
    const order: Order = JSON.parse(line);
    void runOrder(order).then((got) => console.log(JSON.stringify(got)));
  });
