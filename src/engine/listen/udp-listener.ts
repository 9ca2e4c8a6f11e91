// Listens on one UDP socket that belongs to the main thread. node:dgram watches a copy of its descriptor, so
// that the event loop wakes us and idle costs nothing; the first datagram of a wake-up comes from there, and
// the rest of the queue is drained by batches. Without batches (no koffi, no Linux, or by setting) every
// datagram comes and goes by node:dgram, and all else is the same.

import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import type { Answerer, LocalAddress } from '../query-source.ts';
import { closeAtExit, closedBeforeExit } from '../net/close-at-exit.ts';
import { batchSlots, type Datagrams, type Family, type Receiver } from '../net/datagrams.ts';
import { makeOutboxSlots, Outbox } from '../net/outbox.ts';
import type { Outgoing } from '../net/outgoing.ts';
import { writePeer } from '../net/peer-cell.ts';
import { PlainTransmitter } from '../net/plain-transmitter.ts';
import { BlackBox, counter, head } from '../net/black-box.ts';
import type { OnCulprit } from './culprit.ts';
import { resumeQueries } from './replay.ts';
import { UdpSource } from './udp-source.ts';
import { UdpBatch } from './udp-batch.ts';

export interface UdpListenerOptions {
  readonly family: Family;
  readonly local: LocalAddress;
  readonly port: number;
  /** A copy made for this listener, which closes it; without one it binds the address itself. */
  readonly fd: number | undefined;
  /** Without them every datagram goes by node:dgram. */
  readonly datagrams: Datagrams | undefined;
  /** Undoes what libuv sets when it opens a descriptor: that other sockets may share its port. */
  readonly keepPort: (fd: number) => void;
  readonly box: SharedArrayBuffer;
  readonly answerer: Answerer;
  readonly outgoing: Outgoing;
  readonly onCulprit: OnCulprit;
  /** So many queries of the previous thread, which hung, are not answered. */
  readonly onDropped: (queries: number) => void;
  /** The socket is of no more use, as when its interface is gone. */
  readonly onProblem: (code: string) => void;
}

/** Batches per turn of the event loop: after some 1,000 queries others have their turn. */
const maxBatchesPerTurn = 16;
const halfTurn = 8;

/** What the main thread asks for too where it opens the socket; the system cuts it to what it allows. */
const bufferBytes = 4 * 1024 * 1024;

export class UdpListener {
  readonly box: BlackBox;
  readonly #options: UdpListenerOptions;
  readonly #socket: Socket;
  readonly #receiver: Receiver | undefined;
  readonly #source: UdpSource;
  readonly #batch: UdpBatch;
  #batchesLeft = maxBatchesPerTurn;
  #isReading = true;
  #isClosed = false;

  private constructor(options: UdpListenerOptions) {
    const { answerer, box, family, local, outgoing } = options;
    const datagrams = options.fd === undefined ? undefined : options.datagrams;
    this.#options = options;
    this.box = new BlackBox(box);
    this.#socket = makeSocket(family, options.fd === undefined);
    this.#receiver = datagrams?.receiver(this.box.inbox, family);
    const makeOutbox = () => this.#makeOutbox(datagrams);
    this.#source = new UdpSource(local, this.box, makeOutbox, outgoing);
    this.#batch = new UdpBatch(this.box, this.#source, answerer, makeOutbox);
  }

  /** A rejection is the platform's own error: the address was already tried when the socket was opened. */
  static async open(options: UdpListenerOptions): Promise<UdpListener> {
    const listener = new UdpListener(options);
    await listener.#open();
    return listener;
  }

  /** Queries that wait for their late answer. */
  get waiting(): number {
    return this.#source.held.waiting;
  }

  get port(): number {
    return this.#isReading ? this.#socket.address().port : 0;
  }

  /**
   * Leaves what comes from now on in the socket, for a successor; what waits still gets its answer. Without
   * batches nothing else can send, and it goes on reading until it is closed.
   */
  stopReading(): void {
    const copy =
      this.#isReading && this.#receiver ? this.#options.datagrams?.copy(this.#source.fd) : undefined;
    if (copy === undefined || !copy.ok) return;
    this.#closeSocket();
    this.#source.fd = copy.fd;
  }

  /** Sends what is ready and lets go of the descriptor; the socket itself is the main thread's. */
  close(): void {
    if (this.#isClosed) return;
    this.#source.close();
    this.#isClosed = true;
    if (this.#isReading) this.#closeSocket();
    else this.#options.datagrams?.close(this.#source.fd);
  }

  #closeSocket(): void {
    this.#isReading = false;
    this.box.set(head.descriptor, 0);
    closedBeforeExit(this.#socket);
    this.#socket.close();
  }

  #makeOutbox(datagrams: Datagrams | undefined): Outbox {
    const slots = makeOutboxSlots(true);
    const transmitter = datagrams?.transmitter(slots, this.#options.family);
    return new Outbox(slots, transmitter ?? new PlainTransmitter(this.#socket, slots));
  }

  async #open(): Promise<void> {
    const { fd, keepPort, local, onCulprit, onDropped, port } = this.#options;
    const socket = this.#socket;
    // Both before anything can arrive: binding a descriptor starts to read from it at once.
    socket.on('message', (bytes, from) => this.#wakeUp(bytes, from));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#options.onProblem(error.code ?? error.message),
    );
    const listening = once(socket, 'listening');
    closeAtExit(socket);
    if (fd === undefined) socket.bind(port, local.text);
    else socket.bind({ fd });
    try {
      await listening;
    } catch (error) {
      this.close();
      throw error;
    }
    if (fd !== undefined) {
      keepPort(fd);
      this.#source.fd = fd;
      this.box.set(head.descriptor, fd + 1);
    }
    const dropped = resumeQueries(this.box, this.#source.held, this.#batch, onCulprit);
    if (dropped > 0) onDropped(dropped);
  }

  #wakeUp(bytes: Buffer, from: RemoteInfo): void {
    const { inbox } = this.box;
    this.box.count(counter.wakeUps, 1);
    if (!writePeer(inbox.peers, 0, from.address, from.port)) return;
    const length = Math.min(bytes.length, inbox.slotBytes);
    inbox.bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length));
    inbox.lengths[0] = length;
    this.#drain(1);
  }

  /** Works on what is in the first slots and on what the queue holds, as long as it is this one's turn. */
  #drain(waiting: number): void {
    let count = waiting + this.#receive(waiting);
    while (count > 0) {
      this.#batchesLeft -= 1;
      // Halfway, and not at each wake-up: a light load then needs it every eighth time only.
      if (this.#batchesLeft === halfTurn) setImmediate(this.#nextTurn);
      this.#batch.work(count, true);
      count = this.#receive(0);
    }
  }

  /** Receives nothing once the turn is over; the event loop comes back to what waits. */
  #receive(first: number): number {
    if (this.#receiver === undefined || this.#batchesLeft <= 0 || !this.#isReading) return 0;
    const received = this.#receiver.receive(this.#source.fd, first, batchSlots - first);
    if (received < 0) this.#options.onProblem(this.#receiver.problem);
    return Math.max(received, 0);
  }

  readonly #nextTurn = (): void => {
    this.#batchesLeft = maxBatchesPerTurn;
  };
}

function makeSocket(family: Family, isOwn: boolean): Socket {
  const buffers = isOwn ? { recvBufferSize: bufferBytes, sendBufferSize: bufferBytes } : {};
  const options = { ...buffers, lookup: alreadyAddress };
  return createSocket(
    family === 'ipv6' ? { type: 'udp6', ipv6Only: true, ...options } : { type: 'udp4', ...options },
  );
}

type Lookup = NonNullable<SocketOptions['lookup']>;

/** Answers go to addresses, never to names; the usual lookup would put each off to the next tick. */
const alreadyAddress: Lookup = (address, _options, callback) =>
  callback(null, address, address.includes(':') ? 6 : 4);
