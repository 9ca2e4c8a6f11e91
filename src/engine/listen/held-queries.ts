// Queries that wait for their answer, each under a ticket, with the way back and a copy of the packet in the
// black box: what a successor needs to ask them again. A ticket is the number of a place and a serial number,
// so that a second answer for a ticket is dropped instead of sent to another client.

import { type BlackBox, counter, head, held, heldPacketBytes, heldState } from '../net/black-box.ts';

const placeBits = 16;
const placeMask = (1 << placeBits) - 1;
const serialMask = 0x7fff;

export class HeldQueries {
  readonly #box: BlackBox;
  /** The free places, the last given back first: memory that was touched is used again. */
  readonly #free: Int32Array;
  readonly #serials: Int32Array;
  #freeCount = 0;

  constructor(box: BlackBox) {
    this.#box = box;
    this.#free = new Int32Array(box.tickets);
    this.#serials = new Int32Array(box.tickets);
    for (let place = this.placesUsed - 1; place >= 0; place -= 1) {
      if (!this.isHeld(place)) this.#giveBack(place);
    }
  }

  get waiting(): number {
    return this.placesUsed - this.#freeCount;
  }

  /** Only places below this one can be held. */
  get placesUsed(): number {
    return this.#box.get(head.placesUsed);
  }

  /** A ticket for the datagram in this slot of the inbox; -1 when there is none left. */
  hold(slot: number): number {
    const place = this.#allocatePlace();
    if (place < 0) {
      this.#box.count(counter.noTicket, 1);
      return -1;
    }
    this.#write(place, slot);
    return ((this.#serials[place] ?? 0) << placeBits) | place;
  }

  #allocatePlace(): number {
    if (this.#freeCount > 0) {
      this.#freeCount -= 1;
      return this.#free[this.#freeCount] ?? 0;
    }
    const { placesUsed } = this;
    if (placesUsed === this.#box.tickets) return -1;
    this.#box.set(head.placesUsed, placesUsed + 1);
    return placesUsed;
  }

  #write(place: number, slot: number): void {
    const box = this.#box;
    const at = box.heldAt(place);
    const length = box.inbox.lengths[slot] ?? 0;
    const kept = length <= heldPacketBytes ? length : 0;
    box.copySlotToHeld(slot, place, kept);
    box.set(at + held.length, kept);
    box.set(at + held.born, this.bornIn(slot));
    box.set(at + held.replays, box.replays[slot] ?? 0);
    box.set(at + held.state, heldState.waiting);
  }

  /** What tells a query held while this slot of the open batch is worked on from all others. */
  bornIn(slot: number): number {
    return (this.#box.get(head.batchSerial) << 6) | slot;
  }

  /** The place of a ticket that is still held; -1 when it was delivered before. */
  placeOf(ticket: number): number {
    const place = ticket & placeMask;
    const isHeld = this.isHeld(place) && (this.#serials[place] ?? 0) === ticket >>> placeBits;
    return isHeld ? place : -1;
  }

  isHeld(place: number): boolean {
    if (place >= this.placesUsed) return false;
    return this.#box.get(this.#box.heldAt(place) + held.state) !== heldState.free;
  }

  /** From here on a second answer for the ticket is refused; the query stays held until `free`. */
  retire(place: number): void {
    this.#serials[place] = ((this.#serials[place] ?? 0) + 1) & serialMask;
  }

  free(place: number): void {
    this.#box.set(this.#box.heldAt(place) + held.state, heldState.free);
    this.#giveBack(place);
  }

  #giveBack(place: number): void {
    this.#free[this.#freeCount] = place;
    this.#freeCount += 1;
  }
}
