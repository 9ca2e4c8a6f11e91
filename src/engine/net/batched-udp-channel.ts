// The connected UDP socket by batches: replies of an upstream are drained with one call into an inbox that
// all channels of a thread share, for they are read and forgotten at once; queries leave with one call per
// flush, from an outbox that they share too: channels are many, and hardly two have something to send at
// once. node:dgram watches the descriptor, so that the event loop wakes us. The inbox is a black box without
// tickets: should a reply kill the thread, its successor can say which one it was.

import { createSocket, type Socket } from 'node:dgram';
import { type BlackBox, head } from './black-box.ts';
import {
  batchSlots,
  type Datagrams,
  type Family,
  makeSlots,
  peerCellBytes,
  type Receiver,
} from './datagrams.ts';
import { Outbox } from './outbox.ts';
import { writePeer } from './peer-cell.ts';
import type { OpenUdpChannel, UdpChannel, UdpChannelEvents, UdpPeer } from './udp-channel.ts';

/** A query with the longest name and our own EDNS options has less than 300 bytes. */
const querySlotBytes = 512;
/** After some 250 replies others have their turn. */
const maxBatchesPerWakeUp = 4;

/** An outbox with the channel whose queries are in it. */
interface SharedOutbox {
  readonly outbox: Outbox;
  owner: BatchedUdpChannel | undefined;
}

/** What all channels of a thread share. */
interface Shared {
  readonly datagrams: Datagrams;
  readonly box: BlackBox;
  readonly receiver: Receiver;
  readonly outboxes: Readonly<Record<Family, SharedOutbox>>;
}

/** A channel throws when the system gives no socket. */
export function batchedUdpChannels(datagrams: Datagrams, box: BlackBox): OpenUdpChannel {
  // Without peers the family does not matter: one receiver serves both.
  const receiver = datagrams.receiver({ ...box.inbox, peers: undefined }, 'ipv4');
  const outboxes = { ipv4: sharedOutbox(datagrams, 'ipv4'), ipv6: sharedOutbox(datagrams, 'ipv6') };
  const shared = { datagrams, box, receiver, outboxes };
  return (peer, events) => new BatchedUdpChannel(shared, peer, events);
}

function sharedOutbox(datagrams: Datagrams, family: Family): SharedOutbox {
  const slots = makeSlots(batchSlots, querySlotBytes, false);
  return { outbox: new Outbox(slots, datagrams.transmitter(slots, family)), owner: undefined };
}

class BatchedUdpChannel implements UdpChannel {
  readonly #shared: Shared;
  readonly #events: UdpChannelEvents;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #outgoing: SharedOutbox;
  readonly #peer = new Uint8Array(peerCellBytes);
  #isClosed = false;

  constructor(shared: Shared, peer: UdpPeer, events: UdpChannelEvents) {
    const { datagrams } = shared;
    const made = datagrams.connect(peer.address, peer.port);
    if (!made.ok) throw new Error(`no socket to ${peer.address}#${peer.port}: ${made.code}`);
    const family = peer.address.includes(':') ? 'ipv6' : 'ipv4';
    this.#shared = shared;
    this.#events = events;
    this.#fd = made.fd;
    this.#outgoing = shared.outboxes[family];
    writePeer(this.#peer, 0, peer.address, peer.port);
    this.#socket = createSocket(family === 'ipv6' ? 'udp6' : 'udp4');
    this.#socket.on('message', (bytes) => this.#wakeUp(bytes));
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#unreachable(error.code ?? error.message),
    );
    // The socket owns the descriptor from here on.
    this.#socket.bind({ fd: made.fd });
  }

  send(bytes: Uint8Array, start: number, length: number): boolean {
    const { outbox } = this.#outgoing;
    const { slots } = outbox;
    if (length > slots.slotBytes) return false;
    if (this.#isClosed) return true;
    if (outbox.isFull) this.flush();
    // What fails on the way out may make others send in turn.
    while (this.#outgoing.owner !== undefined && this.#outgoing.owner !== this) this.#outgoing.owner.flush();
    this.#outgoing.owner = this;
    const to = outbox.next;
    for (let index = 0; index < length; index += 1) slots.bytes[to + index] = bytes[start + index] ?? 0;
    outbox.addConnected(length);
    return true;
  }

  flush(): void {
    if (this.#outgoing.owner !== this) return;
    this.#outgoing.owner = undefined;
    const { outbox } = this.#outgoing;
    outbox.send(this.#fd);
    const { problem } = outbox;
    // Without room the query is lost as on the way, and is repeated like one.
    if (problem !== '' && problem !== 'EAGAIN' && problem !== 'ENOBUFS') this.#unreachable(problem);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#drop();
    this.#socket.close();
  }

  /** What was put together and not sent is lost, as on the way. */
  #drop(): void {
    if (this.#outgoing.owner !== this) return;
    this.#outgoing.owner = undefined;
    this.#outgoing.outbox.count = 0;
  }

  #wakeUp(bytes: Buffer): void {
    if (this.#isClosed) return;
    const { box, receiver } = this.#shared;
    const { inbox } = box;
    const length = Math.min(bytes.length, inbox.slotBytes);
    inbox.bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length));
    inbox.lengths[0] = length;
    inbox.peers.set(this.#peer);
    this.#read(1);
    for (let batch = 0; batch < maxBatchesPerWakeUp && !this.#isClosed; batch += 1) {
      const count = receiver.receive(this.#fd, 0, batchSlots);
      if (count < 0) this.#unreachable(receiver.problem);
      if (count <= 0) break;
      this.#read(count);
    }
    this.#events.onBatchEnd();
  }

  /** Which reply is being read is written down first. */
  #read(count: number): void {
    const { inbox, words } = this.#shared.box;
    const { bytes, lengths, slotBytes } = inbox;
    words[head.batchSerial] = (words[head.batchSerial] ?? 0) + 1;
    words[head.batchCount] = count;
    for (let slot = 0; slot < count && !this.#isClosed; slot += 1) {
      words[head.currentSlot] = slot + 1;
      this.#events.onDatagram(bytes, slot * slotBytes, lengths[slot] ?? 0);
    }
    words[head.currentSlot] = 0;
    words[head.batchCount] = 0;
  }

  #unreachable(code: string): void {
    if (!this.#isClosed) this.#events.onUnreachable(code);
  }
}
