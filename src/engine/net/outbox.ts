// Datagrams on their way out: slots that are filled one after the other and sent with one call. The caller
// writes into the next slot's bytes, then adds the slot with its length and its peer.

import {
  batchSlots,
  makeSlots,
  outboxSlotBytes,
  peerCellBytes,
  type SlotMemory,
  type Transmitter,
} from './datagrams.ts';

const peerCellWords = peerCellBytes / 4;
/** sockaddr_in has 16 bytes, and its family stands in the first two; what is beyond them is not read. */
const ipv4Words = 4;
const familyMask = 0xffff;
const familyIpv4 = 2;

export class Outbox {
  readonly slots: SlotMemory;
  /** Slots filled so far; the next one to write to. */
  count = 0;
  readonly #transmitter: Transmitter;
  readonly #peers: Int32Array | undefined;

  constructor(slots: SlotMemory, transmitter: Transmitter) {
    const { peers } = slots;
    this.slots = slots;
    this.#peers = peers && new Int32Array(peers.buffer, peers.byteOffset, peers.byteLength / 4);
    this.#transmitter = transmitter;
  }

  get isFull(): boolean {
    return this.count === this.slots.slots;
  }

  /** The system's last refusal when it was sent; empty when there was none. */
  get problem(): string {
    return this.#transmitter.problem;
  }

  /** Where the next slot begins in the bytes. */
  get next(): number {
    return this.count * this.slots.slotBytes;
  }

  /** The next slot was written; its peer is a cell that begins at this word. */
  add(length: number, words: Int32Array, at: number): void {
    const peers = this.#peers;
    const to = this.count * peerCellWords;
    if (peers !== undefined) {
      const used = ((words[at] ?? 0) & familyMask) === familyIpv4 ? ipv4Words : peerCellWords;
      for (let word = 0; word < used; word += 1) peers[to + word] = words[at + word] ?? 0;
    }
    this.addConnected(length);
  }

  addConnected(length: number): void {
    this.slots.lengths[this.count] = length;
    this.count += 1;
  }

  /** Sends all and is empty again; says how many the system did not take. */
  send(fd: number): number {
    const { count } = this;
    this.count = 0;
    return count === 0 ? 0 : count - this.#transmitter.send(fd, count);
  }
}

export function makeOutboxSlots(withPeers: boolean): SlotMemory {
  return makeSlots(batchSlots, outboxSlotBytes, withPeers);
}
