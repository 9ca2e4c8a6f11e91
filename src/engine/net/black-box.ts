// What a UDP listener is working on, in shared memory that the main thread makes and keeps: the batch that
// was received and is not answered yet, which datagram of it is being worked on, and the queries that wait
// for an upstream. A thread that dies or hangs leaves it behind, and its successor goes on with it: it leaves
// out the one datagram that was being worked on and loses no other. All zero is a valid empty box.

import { batchSlots, inboxSlotBytes, peerCellBytes, type SlotMemory } from './datagrams.ts';

/** Words of the box's head. Slots and tickets are stored plus one, so that 0 means none. */
export const head = {
  /** Datagrams in the open batch; 0 when everything received was answered. */
  batchCount: 0,
  currentSlot: 1,
  /** The ticket whose late answer is being worked on. */
  currentTicket: 2,
  /** Counts batches, so that a query held in this batch differs from one held before. */
  batchSerial: 3,
  /** The descriptor that the thread listens with, which main takes back from a thread that hangs. */
  descriptor: 4,
  /** Places of held queries that were ever used: behind them no memory was touched, and none is taken. */
  placesUsed: 5,
  /** Main ended the thread for reasons of its own: nothing in here is to blame. */
  isInnocent: 6,
  /** Main ended the thread because it was silent: what it held is dropped, and not worked on again. */
  isDropped: 7,
} as const;

/** What became of a datagram of the open batch that was not put into the outbox. */
export const mark = { open: 0, dropped: 1, held: 2 } as const;

/** Counters, as doubles: they never wrap, and every thread that has the box may read them. */
export const counter = {
  received: 0,
  answered: 1,
  answeredLate: 2,
  /** Answers that the system did not take. */
  notSent: 3,
  /** Queries that could not wait because too many do. */
  noTicket: 4,
  culprits: 5,
  wakeUps: 6,
  batches: 7,
} as const;

/** A held query: these words, the peer's cell at byte 32, the packet at byte 64. */
export const held = { state: 0, length: 1, born: 2, replays: 3 } as const;
export const heldState = { free: 0, waiting: 1 } as const;
export const heldPeerAt = 32;
export const heldPacketAt = 64;
/** Longer queries are held too, but without a copy: they die with the thread. */
export const heldPacketBytes = 512;
const heldBytes = heldPacketAt + heldPacketBytes;

const defaultTickets = 4096;
/** A query that was waiting each time when a thread died is not tried for ever. */
export const maxReplays = 2;

const headBytes = 64;
const countersAt = headBytes;
const lengthsAt = countersAt + 128;
const marksAt = lengthsAt + 4 * batchSlots;
const replaysAt = marksAt + 4 * batchSlots;
const peersAt = replaysAt + 4 * batchSlots;
const inboxAt = peersAt + batchSlots * peerCellBytes;
const slabAt = inboxAt + batchSlots * inboxSlotBytes;

export function makeBlackBox(tickets: number = defaultTickets): SharedArrayBuffer {
  return new SharedArrayBuffer(slabAt + tickets * heldBytes);
}

/** To be called before a thread is ended that may be working on something and has done nothing wrong. */
export function acquit(box: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(box, 0, headBytes / 4), head.isInnocent, 1);
}

/**
 * To be called before a thread is ended that shows no sign of life. What it held may have cost all that time:
 * a successor that works on it again falls silent as well.
 */
export function dropHeld(box: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(box, 0, headBytes / 4), head.isDropped, 1);
}

/** Where the work on what lies in the box has come to: the same twice when nothing went on in between. */
export function positionIn(box: SharedArrayBuffer): string {
  const words = new Int32Array(box, 0, headBytes / 4);
  return [head.batchSerial, head.currentSlot, head.currentTicket]
    .map((word) => Atomics.load(words, word))
    .join(' ');
}

/** The box seen through typed arrays. Offsets into `words` are in words, into `bytes` in bytes. */
export class BlackBox {
  readonly tickets: number;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly counters: Float64Array;
  /** What became of each slot, see `mark`. */
  readonly marks: Int32Array;
  /** How often the datagram of a slot was tried before. */
  readonly replays: Int32Array;
  readonly inbox: SlotMemory & { readonly peers: Uint8Array };

  constructor(buffer: SharedArrayBuffer) {
    this.tickets = Math.floor((buffer.byteLength - slabAt) / heldBytes);
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.counters = new Float64Array(buffer, countersAt, Object.keys(counter).length);
    this.marks = new Int32Array(buffer, marksAt, batchSlots);
    this.replays = new Int32Array(buffer, replaysAt, batchSlots);
    this.inbox = {
      bytes: new Uint8Array(buffer, inboxAt, batchSlots * inboxSlotBytes),
      slotBytes: inboxSlotBytes,
      slots: batchSlots,
      lengths: new Int32Array(buffer, lengthsAt, batchSlots),
      peers: new Uint8Array(buffer, peersAt, batchSlots * peerCellBytes),
    };
  }

  get(word: number): number {
    return this.words[word] ?? 0;
  }

  set(word: number, value: number): void {
    this.words[word] = value;
  }

  /** Says whether the thread was ended that has done nothing wrong; the next one has to be acquitted anew. */
  readAndClearInnocent(): boolean {
    const isInnocent = this.get(head.isInnocent) !== 0;
    this.set(head.isInnocent, 0);
    return isInnocent;
  }

  /** Says whether what the thread held is to be dropped; read once, the mark is cleared. */
  readAndClearDropped(): boolean {
    const isDropped = this.get(head.isDropped) !== 0;
    this.set(head.isDropped, 0);
    return isDropped;
  }

  count(which: number, more: number): void {
    this.counters[which] = (this.counters[which] ?? 0) + more;
  }

  /** Closes the batch; `marked` when any of its slots has a mark or was tried before. */
  closeBatch(marked: boolean): void {
    this.words[head.batchCount] = 0;
    if (!marked) return;
    this.marks.fill(mark.open);
    this.replays.fill(0);
  }

  /** Where a ticket's words begin, as an index into `words`. */
  heldAt(ticket: number): number {
    return (slabAt + ticket * heldBytes) >>> 2;
  }

  copySlotToHeld(slot: number, ticket: number, length: number): void {
    const to = slabAt + ticket * heldBytes;
    this.#copyWords(peersAt + slot * peerCellBytes, to + heldPeerAt, peerCellBytes);
    this.#copyWords(inboxAt + slot * inboxSlotBytes, to + heldPacketAt, length);
  }

  copyHeldToSlot(ticket: number, slot: number, length: number): void {
    const from = slabAt + ticket * heldBytes;
    this.#copyWords(from + heldPeerAt, peersAt + slot * peerCellBytes, peerCellBytes);
    this.#copyWords(from + heldPacketAt, inboxAt + slot * inboxSlotBytes, length);
    this.inbox.lengths[slot] = length;
  }

  /** Whole words: all parts of the box begin at a word and have room for the last one. */
  #copyWords(from: number, to: number, length: number): void {
    const { words } = this;
    const offset = (to - from) >> 2;
    const end = (from + length + 3) >>> 2;
    for (let word = from >>> 2; word < end; word += 1) words[word + offset] = words[word] ?? 0;
  }

  /** Where the peer of a slot stands in `words`. */
  slotPeer(slot: number): number {
    return (peersAt + slot * peerCellBytes) >>> 2;
  }

  /** Where the peer of a held query stands in `words`. */
  heldPeer(ticket: number): number {
    return (slabAt + ticket * heldBytes + heldPeerAt) >>> 2;
  }

  /** Where its packet stands in `bytes`. */
  heldPacket(ticket: number): number {
    return slabAt + ticket * heldBytes + heldPacketAt;
  }
}
