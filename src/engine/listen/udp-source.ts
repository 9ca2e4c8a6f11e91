// The source of queries by UDP: filled in anew for each datagram of a batch, and the way back for answers
// that come later. Late answers are collected and sent with one call at the end of whatever is being worked
// on; until then their queries stay in the black box, so that a thread that dies in between loses none.

import type { QuerySource, LocalAddress } from '../query-source.ts';
import { ClientAddress } from '../client-address.ts';
import { batchSlots, outboxSlotBytes, peerCellBytes } from '../net/datagrams.ts';
import type { Outbox } from '../net/outbox.ts';
import type { Outgoing, Sender } from '../net/outgoing.ts';
import { readPeerAddress, readPeerPort } from '../net/peer-cell.ts';
import { type BlackBox, counter, head } from '../net/black-box.ts';
import { transports } from '../transport.ts';
import { HeldQueries } from './held-queries.ts';

export class UdpSource implements QuerySource, Sender {
  readonly transport = transports.udp;
  readonly client = new ClientAddress();
  clientPort = 0;
  readonly clientName = undefined;
  readonly local: LocalAddress;
  readonly held: HeldQueries;
  /** The descriptor that late answers leave by. */
  fd = -1;
  readonly #box: BlackBox;
  readonly #makeOutbox: () => Outbox;
  /** Made with the first late answer: many addresses never have one. */
  #late: Outbox | undefined;
  readonly #latePlaces = new Int32Array(batchSlots);
  readonly #outgoing: Outgoing;
  #slot = 0;
  #isClosed = false;

  constructor(local: LocalAddress, box: BlackBox, makeOutbox: () => Outbox, outgoing: Outgoing) {
    this.local = local;
    this.held = new HeldQueries(box);
    this.#box = box;
    this.#makeOutbox = makeOutbox;
    this.#outgoing = outgoing;
  }

  /** From here on the source is the sender of the datagram in this slot of the inbox. */
  load(slot: number): void {
    const { peers } = this.#box.inbox;
    const at = slot * peerCellBytes;
    readPeerAddress(peers, at, this.client);
    this.clientPort = readPeerPort(peers, at);
    this.#slot = slot;
  }

  hold(): number {
    return this.held.hold(this.#slot);
  }

  workingOn(ticket: number): void {
    this.#box.set(head.currentTicket, this.held.placeOf(ticket) + 1);
  }

  deliver(ticket: number, bytes: Uint8Array, start: number, length: number): void {
    const place = this.held.placeOf(ticket);
    if (place < 0 || this.#isClosed) return;
    this.#box.set(head.currentTicket, place + 1);
    this.held.retire(place);
    if (length > 0 && length <= outboxSlotBytes) this.#put(place, bytes, start, length);
    else this.held.free(place);
    this.#box.set(head.currentTicket, 0);
  }

  #put(place: number, bytes: Uint8Array, start: number, length: number): void {
    const late = (this.#late ??= this.#makeOutbox());
    if (late.isFull) this.#send();
    if (late.count === 0) this.#outgoing.mark(this);
    const out = late.slots.bytes;
    const to = late.next;
    for (let index = 0; index < length; index += 1) out[to + index] = bytes[start + index] ?? 0;
    this.#latePlaces[late.count] = place;
    late.add(length, this.#box.words, this.#box.heldPeer(place));
  }

  /** Called through Outgoing. */
  flush(): void {
    this.#send();
  }

  /** Sends what is ready. What comes later has no way back; its queries stay in the black box. */
  close(): void {
    this.#send();
    this.#isClosed = true;
  }

  #send(): void {
    const late = this.#late;
    if (late === undefined || late.count === 0) return;
    const { count } = late;
    const notSent = late.send(this.fd);
    for (let slot = 0; slot < count; slot += 1) this.held.free(this.#latePlaces[slot] ?? 0);
    this.#box.count(counter.answeredLate, count - notSent);
    this.#box.count(counter.notSent, notSent);
  }
}
