// A scripted DNS server for tests: it answers, lies, stalls, truncates or closes as its script says. It
// listens on one loopback port with UDP and TCP, and records the queries.

import { randomInt } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { nameToText, Rcode, readName, Type } from '#wire';
import { turnClock } from './clock.ts';

export type Via = 'udp' | 'tcp' | 'tls' | 'https';

export interface TestQuery {
  readonly via: Via;
  readonly name: string;
  readonly type: number;
  readonly bytes: Uint8Array;
  readonly sourcePort: number;
}

/** The datagrams or messages to send back; none for silence. */
export type Script = (query: TestQuery) => readonly Uint8Array[];

export function readQuery(bytes: Uint8Array, via: Via, sourcePort: number): TestQuery {
  const name = new Uint8Array(256);
  const length = readName(bytes, 0, 12, bytes.length, name);
  const typeAt = 12 + length;
  const type = (bytes[typeAt] ?? 0) * 256 + (bytes[typeAt + 1] ?? 0);
  return { via, name: nameToText(name), type, bytes: new Uint8Array(bytes), sourcePort };
}

/** An answer with one address record, or with none for other types. */
export function answer(query: TestQuery, address = '192.0.2.1', ttlSeconds = 60): Uint8Array {
  const head = errorOf(query, Rcode.noError);
  if (query.type !== Type.A) return head;
  head[7] = 1;
  const data = address.split('.').map(Number);
  return Uint8Array.from([...head, 0xc0, 12, 0, Type.A, 0, 1, 0, 0, 0, ttlSeconds, 0, 4, ...data]);
}

export function textAnswer(query: TestQuery, text: string): Uint8Array {
  const head = errorOf(query, Rcode.noError);
  head[7] = 1;
  const data = [text.length, ...Buffer.from(text)];
  return Uint8Array.from([...head, 0xc0, 12, 0, Type.TXT, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
}

export function errorOf(query: TestQuery, rcode: number): Uint8Array {
  const message = query.bytes.slice(0, questionEnd(query.bytes));
  message[2] = 0x81;
  message[3] = 0x80 | rcode;
  message[11] = 0;
  return message;
}

/** A copy of the message with some bytes replaced, by offset. */
export function patched(message: Uint8Array, bytes: Record<number, number>): Uint8Array {
  const copy = message.slice();
  for (const [at, byte] of Object.entries(bytes)) copy[Number(at)] = byte;
  return copy;
}

export function truncated(query: TestQuery): Uint8Array {
  return patched(errorOf(query, Rcode.noError), { 2: 0x83 });
}

/** The message of a server that does not preserve the case. */
export function lowerCased(message: Uint8Array): Uint8Array {
  const end = questionEnd(message) - 4;
  return message.map((byte, at) => (at >= 12 && at < end && byte >= 65 && byte <= 90 ? byte + 32 : byte));
}

function questionEnd(bytes: Uint8Array): number {
  let at = 12;
  while (at < bytes.length && (bytes[at] ?? 0) !== 0) at += (bytes[at] ?? 0) + 1;
  return at + 5;
}

/** Splits a stream into messages, each after its length in two bytes (RFC 1035 section 4.2.2). */
export function readFrames(socket: Socket, onFrame: (bytes: Uint8Array) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0);
      onFrame(new Uint8Array(rest.subarray(2, end)));
      rest = rest.subarray(end);
    }
  });
}

export function framed(message: Uint8Array): Uint8Array {
  return Uint8Array.from([message.length >> 8, message.length & 0xff, ...message]);
}

/** Below the ephemeral ports: a client socket could have taken the same port for UDP or TCP. */
const ports = [10_000, 30_000] as const;
const portTries = 20;

export class TestServer {
  readonly address: string;
  port: number;
  script: Script;
  readonly queries: TestQuery[] = [];
  /** Called with the TCP connection after the script's replies to a query. */
  afterTcp: ((socket: Socket) => void) | undefined;
  tcpConnections = 0;
  /** Delay of UDP replies. */
  delayMs = 0;
  readonly #sockets = new Set<Socket>();
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;

  constructor(script: Script, address = '127.0.0.1', port = 0) {
    this.script = script;
    this.port = port;
    this.address = address;
  }

  get text(): string {
    return `${this.address}#${this.port}`;
  }

  /** The queries of clients, without the forwarder's own probes. */
  get clientQueries(): TestQuery[] {
    return this.queries.filter(({ name }) => name !== '.' && !name.endsWith('.internal'));
  }

  async start(): Promise<this> {
    const isGiven = this.port !== 0;
    for (let tries = isGiven ? 1 : portTries; tries > 0; tries -= 1) {
      if (!isGiven) this.port = randomInt(...ports);
      if (await this.#tryListen()) return this;
    }
    throw new Error(`no free port for a test server on ${this.address}`);
  }

  /** Opens UDP and TCP on one port; if one of them is taken, both are closed. */
  async #tryListen(): Promise<boolean> {
    try {
      const tcp = createServer((socket) => this.#serve(socket));
      tcp.listen(this.port, this.address);
      await once(tcp, 'listening');
      this.#tcp = tcp;
      await this.startUdp();
      return true;
    } catch {
      await this.stop();
      return false;
    }
  }

  async startUdp(): Promise<void> {
    const udp = createSocket('udp4');
    udp.on('message', (bytes, from) => {
      const replies = this.#answer(readQuery(bytes, 'udp', from.port));
      const send = (): void => {
        for (const reply of replies) if (this.#udp === udp) udp.send(reply, from.port, from.address);
      };
      if (this.delayMs === 0) send();
      else turnClock.after(this.delayMs, send);
    });
    udp.bind(this.port, this.address);
    await once(udp, 'listening');
    this.#udp = udp;
  }

  async stopUdp(): Promise<void> {
    const udp = this.#udp;
    this.#udp = undefined;
    if (udp === undefined) return;
    const closed = once(udp, 'close');
    udp.close();
    await closed;
  }

  async stopTcp(): Promise<void> {
    const tcp = this.#tcp;
    this.#tcp = undefined;
    if (tcp === undefined) return;
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(tcp, 'close');
    tcp.close();
    await closed;
  }

  async stop(): Promise<void> {
    await this.stopUdp();
    await this.stopTcp();
  }

  #answer(query: TestQuery): readonly Uint8Array[] {
    this.queries.push(query);
    return this.script(query);
  }

  #serve(socket: Socket): void {
    this.tcpConnections += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    readFrames(socket, (bytes) => {
      for (const reply of this.#answer(readQuery(bytes, 'tcp', socket.remotePort ?? 0)))
        socket.write(framed(reply));
      this.afterTcp?.(socket);
    });
  }
}
