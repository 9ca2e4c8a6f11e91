// One connection of a client over TCP or TLS (RFC 7766): queries are read one after the other, as many as the
// client sends without waiting, and each answer is written when it is known, in whatever order. The
// connection is the source of all its queries. It stops reading while too many wait, while the client does
// not read, when it has had its turn, and for a while when the client is refused; and it is given up when a
// message stays unfinished or the client reads nothing.

import type { Socket } from 'node:net';
import { later, type Answerer, type QuerySource, type LocalAddress } from '../query-source.ts';
import type { Transport } from '../transport.ts';
import { ClientAddress } from '../client-address.ts';
import type { Outgoing, Sender } from '../net/outgoing.ts';
import type { AnswerBuffer } from './answer-buffer.ts';
import { MessageReader, type MessageConsumer, type ReadOutcome } from './message-reader.ts';
import type { Placed, StreamLimits } from './stream-limits.ts';
import type { StreamNote } from './stream-note.ts';
import { StreamTickets } from './stream-tickets.ts';
import { costOf, type StreamTurns, TurnShare, type TurnRunner } from './stream-turns.ts';

/** What the connections of a listener have in common. */
export interface StreamParts {
  readonly transport: Transport;
  readonly answerer: Answerer;
  readonly outgoing: Outgoing;
  readonly limits: StreamLimits;
  readonly turns: StreamTurns;
  readonly note: StreamNote | undefined;
  readonly answers: AnswerBuffer;
  readonly idleMs: number;
  readonly onClose: (connection: StreamConnection) => void;
}

/** Who is at the other end. */
export interface StreamEnds {
  readonly client: Uint8Array;
  readonly clientPort: number;
  readonly clientName: string | undefined;
  readonly local: LocalAddress;
}

/** Queries of one connection that wait; reading stops there, and goes on when half of them are answered. */
export const maxPending = 128;
/**
 * Answers that the client has not read. Reading stops as soon as the socket has enough to write, so that only
 * late answers, which come all the same, can pile up so high.
 */
const maxUnreadBytes = 1024 * 1024;
/** Idle times that queries may wait for their answers; every answer comes far sooner. */
const maxPatience = 6;
/** What a client may go on to send after we have ended; who sends more has not noticed and will not. */
export const maxIgnoredBytes = 65_536;

export class StreamConnection implements QuerySource, Placed, Sender, MessageConsumer, TurnRunner {
  readonly transport: Transport;
  readonly client = new ClientAddress();
  readonly clientPort: number;
  readonly clientName: string | undefined;
  readonly local: LocalAddress;
  readonly #parts: StreamParts;
  readonly #socket: Socket;
  readonly #reader = new MessageReader(this);
  readonly #tickets = new StreamTickets(maxPending);
  readonly #share: TurnShare;
  readonly #timer: NodeJS.Timeout;
  #patience = maxPatience;
  #readByClient = 0;
  #isStopped = false;
  #isEnding = false;
  #isMarked = false;
  /** Since the last rest a query was refused by access rule or rate limit. */
  #isUnwelcome = false;
  /** A whole message came with what is being read. */
  #hasTaken = false;
  #ignoredBytes = 0;

  constructor(socket: Socket, parts: StreamParts, ends: StreamEnds) {
    this.transport = parts.transport;
    this.client.readFrom(ends.client, 0, ends.client.length);
    this.clientPort = ends.clientPort;
    this.clientName = ends.clientName;
    this.local = ends.local;
    this.#parts = parts;
    this.#socket = socket;
    this.#share = new TurnShare(parts.turns);
    this.#timer = setTimeout(() => this.#timeUp(), parts.idleMs);
  }

  start(): void {
    this.#socket
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('end', () => this.drain())
      .on('drain', () => this.#goOn())
      .on('error', () => this.#socket.destroy())
      .on('close', () => this.#closed());
  }

  get isIdle(): boolean {
    return this.#tickets.held === 0 && !this.#isUnread && !this.#isWorking;
  }

  makeRoom(): void {
    this.#socket.destroy();
  }

  /** There is no place for it: it never started. */
  refuse(): void {
    clearTimeout(this.#timer);
    this.#socket.on('error', () => undefined).destroy();
  }

  /** Reads no more, answers what waits, and ends. */
  drain(): void {
    this.#isEnding = true;
    this.#socket.pause();
    this.#endWhenDone();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  get acceptsMore(): boolean {
    return !this.#mustWait && !this.#isUnwelcome && !this.#share.isSpent;
  }

  /** Called through StreamTurns. */
  runTurn(): void {
    this.#isUnwelcome = false;
    this.#goOn();
  }

  onUnwelcome(): void {
    this.#isUnwelcome = true;
  }

  onMessage(bytes: Uint8Array, start: number, length: number): void {
    const { answerer, answers, note } = this.#parts;
    note?.begin(this, bytes, start, length);
    const { out, outBytes } = answers;
    const written = answerer.answer(this, bytes, start, length, out, answers.next, outBytes);
    if (written > 0) answers.add(written);
    if (answers.isFull) this.#write(answers.drain());
    note?.end();
    this.#hasTaken = true;
    this.#share.spend(costOf(length, written));
    if (written !== later) this.#patience = maxPatience;
  }

  hold(): number {
    return this.#tickets.hold();
  }

  /** Nothing to note: a connection dies with its thread, and its queries with it. */
  workingOn(): void {}

  deliver(ticket: number, bytes: Uint8Array, start: number, length: number): void {
    if (!this.#tickets.release(ticket) || this.#socket.destroyed) return;
    this.#patience = maxPatience;
    this.#timer.refresh();
    if (!this.#isMarked) {
      this.#isMarked = true;
      this.#socket.cork();
      this.#parts.outgoing.mark(this);
    }
    if (length > 0) this.#write(framed(bytes, start, length));
    if (this.#isStopped && this.#tickets.held <= maxPending / 2 && !this.#isUnwelcome)
      this.#parts.turns.wait(this);
  }

  /** Called through Outgoing. */
  flush(): void {
    this.#isMarked = false;
    this.#socket.uncork();
    this.#endWhenDone();
  }

  #read(chunk: Buffer): void {
    if (this.#isEnding) return this.#ignore(chunk.length);
    if (!this.#reader.isHalfway) this.#timer.refresh();
    this.#work(() => this.#reader.read(chunk));
  }

  #goOn(): void {
    if (!this.#isStopped || this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#work(() => this.#reader.readOn());
  }

  #ignore(bytes: number): void {
    this.#ignoredBytes += bytes;
    if (this.#ignoredBytes > maxIgnoredBytes) this.#socket.destroy();
  }

  #work(read: () => ReadOutcome): void {
    const { answerer, answers, limits } = this.#parts;
    answerer.beginBatch();
    const outcome = read();
    if (!answers.isEmpty) this.#write(answers.drain());
    answerer.endBatch();
    limits.touch(this);
    if (outcome === 'broken') return void this.#socket.destroy();
    if (this.#hasTaken && !this.#isUnwelcome) this.#timer.refresh();
    this.#hasTaken = false;
    this.#stopOrGo(outcome === 'stopped' || this.#isUnwelcome);
  }

  #stopOrGo(isStopped: boolean): void {
    this.#isStopped = isStopped;
    if (isStopped) this.#stop();
    else if (!this.#isEnding) this.#socket.resume();
    this.#endWhenDone();
  }

  /** Who must wait goes on when what it waits for has come. */
  #stop(): void {
    this.#socket.pause();
    if (this.#isUnwelcome) this.#parts.turns.rest(this);
    else if (!this.#mustWait) this.#parts.turns.wait(this);
  }

  /** For answers, or for the client to read them. */
  get #mustWait(): boolean {
    return this.#tickets.held >= maxPending || this.#socket.writableNeedDrain;
  }

  #write(answers: Uint8Array): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(answers);
    if (this.#socket.writableLength > maxUnreadBytes) this.#socket.destroy();
  }

  #endWhenDone(): void {
    if (!this.#isEnding || this.#tickets.held > 0 || this.#isWorking || this.#socket.destroyed) return;
    this.#socket.end();
    // What still comes is read and ignored, so that the client's end is seen and nothing is reset.
    this.#socket.resume();
  }

  /** It has more to answer; what an unwelcome client has sent is left. */
  get #isWorking(): boolean {
    return this.#isStopped && !this.#isUnwelcome;
  }

  get #isUnread(): boolean {
    return this.#socket.writableLength > 0;
  }

  /** A whole idle time has passed since the last message or the last answer. */
  #timeUp(): void {
    const wasRead = this.#socket.bytesWritten - this.#socket.writableLength;
    const readsOn = this.#isUnread && wasRead > this.#readByClient;
    const waits = !this.#isUnread && this.#tickets.held > 0 && !this.#isUnfinished && this.#patience > 0;
    this.#readByClient = wasRead;
    this.#patience -= 1;
    if (readsOn || waits) this.#timer.refresh();
    else if (this.#isSilent) {
      // The client has one more idle time to close its side.
      this.#timer.refresh();
      this.drain();
    } else this.#socket.destroy();
  }

  /** Nothing has come and nothing is left to do. */
  get #isSilent(): boolean {
    return this.isIdle && !this.#isStopped && !this.#reader.isHalfway && !this.#isEnding;
  }

  get #isUnfinished(): boolean {
    return this.#reader.isHalfway && !this.#isStopped;
  }

  #closed(): void {
    clearTimeout(this.#timer);
    this.#parts.limits.leave(this);
    this.#parts.turns.leave(this);
    this.#parts.onClose(this);
  }
}

function framed(bytes: Uint8Array, start: number, length: number): Uint8Array {
  const message = new Uint8Array(2 + length);
  message[0] = length >>> 8;
  message[1] = length;
  message.set(bytes.subarray(start, start + length), 2);
  return message;
}
