// DNS over streams (RFC 7766): takes connections from a server and serves each. The server is made here for
// TCP and listens where its owner attaches it; connections from a TLS server can be handed in the same way,
// with the name that the client's identity gives.

import { createServer, type Server, type Socket } from 'node:net';
import { ipBytes } from '#wire';
import type { Answerer, LocalAddress } from '../query-source.ts';
import { transports, type Transport } from '../transport.ts';
import type { Outgoing } from '../net/outgoing.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { BlackBox } from '../net/black-box.ts';
import { StreamConnection, type StreamEnds, type StreamParts } from './stream-connection.ts';
import { StreamLimits } from './stream-limits.ts';
import { StreamNote } from './stream-note.ts';
import { StreamTurns } from './stream-turns.ts';

export interface StreamListenerOptions {
  readonly transport?: Transport;
  readonly answerer: Answerer;
  readonly outgoing: Outgoing;
  /** Shared by all stream listeners of the thread. */
  readonly limits?: StreamLimits;
  readonly turns?: StreamTurns;
  /** A black box without tickets, where the query that is worked on is noted. */
  readonly box?: SharedArrayBuffer;
  readonly idleMs?: number;
}

/** RFC 7766 section 6.2.3 leaves it to the server and suggests seconds. */
const defaultIdleMs = 10_000;

export class StreamListener {
  readonly #parts: StreamParts;
  readonly #connections = new Set<StreamConnection>();
  #whenEmpty: (() => void) | undefined;

  constructor(options: StreamListenerOptions) {
    this.#parts = {
      transport: options.transport ?? transports.tcp,
      answerer: options.answerer,
      outgoing: options.outgoing,
      limits: options.limits ?? new StreamLimits(),
      turns: options.turns ?? new StreamTurns(),
      note: options.box && new StreamNote(new BlackBox(options.box)),
      answers: new AnswerBuffer(),
      idleMs: options.idleMs ?? defaultIdleMs,
      onClose: (connection) => this.#closed(connection),
    };
  }

  get count(): number {
    return this.#connections.size;
  }

  /** A server for TCP, which is not listening yet. Half-open: a client may end its side and read on. */
  createServer(): Server {
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket));
  }

  /** Serves a connection from here on; one for which there is no place is closed. */
  accept(socket: Socket, clientName?: string): void {
    const ends = endsOf(socket, clientName);
    if (ends === undefined) return void socket.destroy();
    const connection = new StreamConnection(socket, this.#parts, ends);
    if (!this.#parts.limits.enter(connection)) {
      connection.refuse();
      return;
    }
    this.#connections.add(connection);
    connection.start();
  }

  /** Lets queries that wait have their answers; what is open after that long is cut off. */
  async drain(longestMs: number): Promise<void> {
    for (const connection of this.#connections) connection.drain();
    if (this.#connections.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenEmpty = resolve;
    const timer = setTimeout(() => this.destroy(), longestMs);
    await promise;
    clearTimeout(timer);
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #closed(connection: StreamConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#whenEmpty?.();
  }
}

/** `undefined` when the other side is gone already. */
function endsOf(socket: Socket, clientName: string | undefined): StreamEnds | undefined {
  const { localAddress, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || remoteAddress === undefined) return undefined;
  const client = ipBytes(remoteAddress);
  const local = localOf(localAddress);
  if (client === undefined || local === undefined) return undefined;
  return { client, clientPort: remotePort ?? 0, clientName, local };
}

/** A socket for both families tells IPv4 addresses as ::ffff:a.b.c.d. */
function localOf(address: string): LocalAddress | undefined {
  const text = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  const bytes = ipBytes(text);
  return bytes && { text, bytes };
}
