// What a dead thread was working on, read from the black box it left behind: the packet that probably killed
// it, to be logged and left out, and never to be tried again.

import { peerCellBytes } from '../net/datagrams.ts';
import { peerText, readPeerPort } from '../net/peer-cell.ts';
import { type BlackBox, counter, head, held, heldPeerAt, heldPacketAt, mark } from '../net/black-box.ts';
import type { HeldQueries } from './held-queries.ts';

export interface Culprit {
  /** While it was read, while its late answer was, or that it waited each time; `reply` is an upstream's. */
  readonly during: 'query' | 'late answer' | 'waiting' | 'reply';
  /** Who sent it. */
  readonly client: string;
  readonly clientPort: number;
  /** The packet in hexadecimal. */
  readonly packet: string;
}

export type OnCulprit = (culprit: Culprit) => void;

/** Leaves out what the predecessor was working on and reports it. What remains is to be worked on. */
export function leaveOutCulprits(box: BlackBox, queries: HeldQueries, onCulprit: OnCulprit): void {
  const slot = box.get(head.currentSlot) - 1;
  const place = box.get(head.currentTicket) - 1;
  box.set(head.currentSlot, 0);
  box.set(head.currentTicket, 0);
  if (slot >= 0 && slot < box.get(head.batchCount)) leaveOutSlot(box, queries, slot, onCulprit);
  if (place >= 0 && queries.isHeld(place)) leaveOutHeld(box, queries, place, 'late answer', onCulprit);
}

/** Reports the upstream's reply that the predecessor was reading; all its channels have the same inbox. */
export function reportReply(box: BlackBox, onCulprit: OnCulprit): void {
  reportCurrent(box, 'reply', onCulprit);
}

/** Reports the query of a connection that the predecessor was working on. */
export function reportStreamQuery(box: BlackBox, onCulprit: OnCulprit): void {
  reportCurrent(box, 'query', onCulprit);
}

function reportCurrent(box: BlackBox, during: Culprit['during'], onCulprit: OnCulprit): void {
  const slot = box.get(head.currentSlot) - 1;
  box.set(head.currentSlot, 0);
  box.set(head.batchCount, 0);
  if (!box.readAndClearInnocent() && slot >= 0)
    report(box, during, box.inbox.peers, 0, packetOf(box, slot), onCulprit);
}

function leaveOutSlot(box: BlackBox, queries: HeldQueries, slot: number, onCulprit: OnCulprit): void {
  box.marks[slot] = mark.dropped;
  // It may have been held already when the thread died over it.
  for (let place = 0; place < queries.placesUsed; place += 1) {
    const isSame = box.get(box.heldAt(place) + held.born) === queries.bornIn(slot);
    if (isSame && queries.isHeld(place)) queries.free(place);
  }
  report(box, 'query', box.inbox.peers, slot * peerCellBytes, packetOf(box, slot), onCulprit);
}

function packetOf({ inbox }: BlackBox, slot: number): Uint8Array {
  const start = slot * inbox.slotBytes;
  return inbox.bytes.subarray(start, start + (inbox.lengths[slot] ?? 0));
}

export function leaveOutHeld(
  box: BlackBox,
  queries: HeldQueries,
  place: number,
  during: Culprit['during'],
  onCulprit: OnCulprit,
): void {
  const at = box.heldAt(place);
  const length = box.get(at + held.length);
  const packet = box.bytes.subarray(at * 4 + heldPacketAt, at * 4 + heldPacketAt + length);
  queries.free(place);
  report(box, during, box.bytes, at * 4 + heldPeerAt, packet, onCulprit);
}

function report(
  box: BlackBox,
  during: Culprit['during'],
  cells: Uint8Array,
  at: number,
  packet: Uint8Array,
  onCulprit: OnCulprit,
): void {
  box.count(counter.culprits, 1);
  onCulprit({
    during,
    client: peerText(cells, at),
    clientPort: readPeerPort(cells, at),
    packet: Buffer.from(packet).toString('hex'),
  });
}
