// One kept connection to an upstream, TCP (RFC 7766) or TLS (RFC 7858): queries are pipelined, replies come
// in any order, and it opens itself when something is to be sent. What was in flight when it breaks is handed
// back. A connection that says nothing for seconds while replies are due is given up as well: the path to it
// may be gone, and no packet says so.

import type { Socket } from 'node:net';
import { u16 } from '#wire';
import type { Outgoing, Sender } from '../net/outgoing.ts';
import type { Attempt, Way } from './exchange.ts';
import { Fit, fitOf, maxQueryBytes, writeId } from './question-bytes.ts';
import type { RandomBits } from './random-bits.ts';
import type { Connection } from './upstream-parts.ts';

/** More than clients' questions in flight can be, so that their limit is the one that is met. */
const maxPipelined = 8192;
const batchBytes = 16_384;
/** What the system has not taken yet; beyond that the connection is as good as stalled. */
const maxUnsentBytes = 1_048_576;
const stalledMs = 3000;
const maxIdDraws = 32;

export interface ConnectionParts {
  readonly outgoing: Outgoing;
  readonly random: RandomBits;
  readonly nowMs: () => number;
  readonly onReply: (attempt: Attempt, fit: number, bytes: Uint8Array, start: number, length: number) => void;
  readonly onBroken: (attempt: Attempt, wasUdp: boolean) => void;
  readonly onBatchEnd: () => void;
}

/** Opens a socket; `onOpen` is called when queries may be sent in confidence (after the TLS handshake). */
export type OpenSocket = (onOpen: () => void) => Socket;

export class StreamConnection implements Connection, Way, Sender {
  readonly isUdp = false;
  readonly #openSocket: OpenSocket;
  readonly #parts: ConnectionParts;
  readonly #idleMs: number;
  readonly #byId = new Map<number, Attempt>();
  readonly #batch = new Uint8Array(batchBytes);
  #batchLength = 0;
  #socket: Socket | undefined;
  isOpen = false;
  #rest: Uint8Array = new Uint8Array(0);
  #usedMs = 0;
  /** The first query that nothing has come after. */
  #unansweredSinceMs = Infinity;

  constructor(openSocket: OpenSocket, parts: ConnectionParts, idleMs: number) {
    this.#openSocket = openSocket;
    this.#parts = parts;
    this.#idleMs = idleMs;
  }

  send(attempt: Attempt, nowMs: number): boolean {
    const id = this.#freeId();
    if (id < 0 || (this.#socket?.writableLength ?? 0) > maxUnsentBytes) return false;
    if (this.#batchLength + maxQueryBytes + 2 > batchBytes) this.flush();
    this.#socket ??= this.#open();
    attempt.id = id;
    attempt.way = this;
    this.#byId.set(id, attempt);
    writeId(attempt.bytes, id);
    if (this.#batchLength === 0) this.#parts.outgoing.mark(this);
    this.#append(attempt.bytes, attempt.length);
    this.#usedMs = nowMs;
    this.#unansweredSinceMs = Math.min(this.#unansweredSinceMs, nowMs);
    return true;
  }

  resend(): boolean {
    return false;
  }

  forget(attempt: Attempt): void {
    this.#byId.delete(attempt.id);
    attempt.way = undefined;
  }

  flush(): void {
    if (this.#batchLength === 0) return;
    this.#socket?.write(this.#batch.slice(0, this.#batchLength));
    this.#batchLength = 0;
  }

  tick(nowMs: number): void {
    if (this.#socket === undefined) return;
    if (nowMs - this.#unansweredSinceMs >= stalledMs) this.#lose(this.#socket, 'no reply');
    else if (this.isQuiet && nowMs - this.#usedMs >= this.#idleMs) this.#lose(this.#socket, 'idle');
  }

  get isQuiet(): boolean {
    return this.#byId.size === 0;
  }

  removeAll(): readonly Attempt[] {
    const lost = [...this.#byId.values()];
    this.#byId.clear();
    for (const attempt of lost) attempt.way = undefined;
    this.close();
    return lost;
  }

  close(): void {
    if (this.#socket !== undefined) this.#lose(this.#socket, 'closed');
  }

  #freeId(): number {
    if (this.#byId.size >= maxPipelined) return -1;
    for (let draw = 0; draw < maxIdDraws; draw += 1) {
      const id = this.#parts.random.word();
      if (!this.#byId.has(id)) return id;
    }
    return -1;
  }

  #append(bytes: Uint8Array, length: number): void {
    const at = this.#batchLength;
    this.#batch[at] = length >>> 8;
    this.#batch[at + 1] = length;
    for (let byte = 0; byte < length; byte += 1) this.#batch[at + 2 + byte] = bytes[byte] ?? 0;
    this.#batchLength = at + 2 + length;
  }

  #open(): Socket {
    this.isOpen = false;
    this.#rest = new Uint8Array(0);
    const socket = this.#openSocket(() => {
      this.isOpen = true;
    });
    socket.on('data', (chunk: Uint8Array) => {
      if (this.#socket === socket) this.#read(chunk);
    });
    socket.on('end', () => this.#lose(socket, 'closed by the server'));
    socket.on('error', (error) => this.#lose(socket, error.message));
    socket.on('close', () => this.#lose(socket, 'closed'));
    return socket;
  }

  /** Ends the connection. The next query opens a new one. */
  #lose(socket: Socket, reason: string): void {
    if (this.#socket !== socket) return;
    const wasOpen = this.isOpen;
    this.#socket = undefined;
    this.isOpen = false;
    this.#batchLength = 0;
    this.#unansweredSinceMs = Infinity;
    socket.destroy();
    const lost = [...this.#byId.values()];
    this.#byId.clear();
    breakAll(lost, this.#parts, wasOpen, reason);
  }

  #read(chunk: Uint8Array): void {
    const nowMs = this.#parts.nowMs();
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    let at = 0;
    while (at + 2 <= bytes.length) {
      const length = u16(bytes, at);
      if (at + 2 + length > bytes.length) break;
      this.#take(bytes, at + 2, length);
      at += 2 + length;
    }
    this.#rest = at === bytes.length ? new Uint8Array(0) : new Uint8Array(bytes.subarray(at));
    this.#unansweredSinceMs = this.isQuiet ? Infinity : nowMs;
    this.#parts.onBatchEnd();
  }

  #take(bytes: Uint8Array, start: number, length: number): void {
    if (length < 2) return;
    const attempt = this.#byId.get(u16(bytes, start));
    if (attempt === undefined) return;
    const fit = fitOf(attempt.bytes, attempt.nameEnd, bytes, start, length);
    if (fit !== Fit.none) this.#parts.onReply(attempt, fit, bytes, start, length);
  }
}

/**
 * Hands back what was in flight. All lose their way first: the end of one may take another out of the pool
 * and use it again, and that one is not lost.
 */
export function breakAll(
  lost: readonly Attempt[],
  parts: ConnectionParts,
  wasOpen: boolean,
  reason: string,
): void {
  for (const attempt of lost) attempt.way = undefined;
  for (const attempt of lost) {
    if (attempt.way !== undefined) continue;
    // What could not be opened is not tried a second time at once.
    if (!wasOpen) attempt.isSecondTry = true;
    if (attempt.upstream !== undefined) attempt.upstream.lastError = reason;
    parts.onBroken(attempt, false);
  }
  parts.onBatchEnd();
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a, 0);
  both.set(b, a.length);
  return both;
}
