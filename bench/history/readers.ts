// The effect of a thousand event subscribers on DNS: CPU time of the dns worker per query with and without
// them, in rounds. The subscribers read everything, and all of them must still be connected at the end.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { underLoad } from '../dns/load.ts';
import type { Sluice } from '../dns/sluice.ts';
import { livingCpuSeconds } from '../process-figures.ts';
import { factorRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import type { MadeHistory } from './made.ts';

const READERS = 1_000;
/** An address may have 64 streams. */
const READERS_PER_ADDRESS = 50;
const RATE = 1_000;
const SECONDS = 3;
const ROUNDS = 3;
const SETTLE_MS = 300;
const BAR = 1.1;

export async function readersRow(sluice: Sluice, { questions }: MadeHistory): Promise<Row> {
  const cpuSeconds = (): number => livingCpuSeconds(sluice.pid, /^dns\d/);
  const load = { port: sluice.port, names: questions, seconds: SECONDS, rate: RATE };
  const without: number[] = [];
  const within: number[] = [];
  let dropped = 0;
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    without.push((await underLoad(load, cpuSeconds)).microseconds);
    const readers = await Readers.open(sluice);
    await sleep(SETTLE_MS);
    within.push((await underLoad(load, cpuSeconds)).microseconds);
    dropped += readers.leave();
    bytes += readers.bytes;
  }
  const [alone, watched] = [median(without), median(within)];
  const each = bytes / ROUNDS / READERS / 1024;
  const detail =
    `${watched.toFixed(1)} us / ${alone.toFixed(1)} us at ${RATE}/s, ${each.toFixed(0)} kB to each, ` +
    `${dropped} dropped`;
  const row = factorRow(
    `history: CPU of DNS with ${READERS} event subscribers against none`,
    watched / alone,
    detail,
    BAR,
  );
  return dropped === 0 ? row : { ...row, verdict: 'missed' };
}

class Readers {
  readonly #sockets: readonly Socket[];
  bytes = 0;
  #gone = 0;

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
    for (const socket of sockets) {
      socket.on('data', (part) => (this.bytes += part.length));
      socket.on('close', () => this.#gone++);
    }
  }

  /** Resolves when all have received `hello`. */
  static async open({ url }: Sluice): Promise<Readers> {
    const port = Number(new URL(url).port);
    const numbers = Array.from({ length: READERS }, (_, number) => number);
    return new Readers(await Promise.all(numbers.map((number) => openReader(port, number))));
  }

  /** Returns how many were disconnected before. */
  leave(): number {
    const dropped = this.#gone;
    for (const socket of this.#sockets) socket.destroy();
    return dropped;
  }
}

async function openReader(port: number, number: number): Promise<Socket> {
  const localAddress = `127.0.0.${1 + Math.floor(number / READERS_PER_ADDRESS)}`;
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => undefined);
  socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  // The first argument of this event is a chunk of the reply.
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  if (!greeting.toString().startsWith('HTTP/1.1 200 '))
    throw new Error(`Not an event stream: ${greeting.toString()}`);
  return socket;
}
