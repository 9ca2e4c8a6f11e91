// Goes on where a dead thread stopped: works on the rest of its open batch, then asks again the queries that
// were waiting. Those come through the inbox like fresh ones, a batch at a time, and leave their place only
// once the batch is open: should this thread die too, the next one finds them in one place or the other. When
// the thread was ended for its silence, all of them are dropped instead.

import { batchSlots } from '../net/datagrams.ts';
import { type BlackBox, head, held, mark, maxReplays } from '../net/black-box.ts';
import { leaveOutCulprits, leaveOutHeld, type OnCulprit } from './culprit.ts';
import type { HeldQueries } from './held-queries.ts';
import type { UdpBatch } from './udp-batch.ts';

/** Says how many queries were dropped. */
export function resumeQueries(
  box: BlackBox,
  queries: HeldQueries,
  batch: UdpBatch,
  onCulprit: OnCulprit,
): number {
  const isInnocent = box.readAndClearInnocent();
  if (isInnocent) forgetCurrent(box);
  else leaveOutCulprits(box, queries, onCulprit);
  if (box.readAndClearDropped()) return dropAll(box, queries);
  goOn(box, queries, batch, isInnocent, onCulprit);
  return 0;
}

function goOn(
  box: BlackBox,
  queries: HeldQueries,
  batch: UdpBatch,
  isInnocent: boolean,
  onCulprit: OnCulprit,
): void {
  const waiting = placesOfDeadThread(queries);
  const open = box.get(head.batchCount);
  if (open > 0) batch.work(open, false);
  for (let from = 0; from < waiting.length; from += batchSlots) {
    const places = waiting.slice(from, from + batchSlots);
    replay(box, queries, batch, places, isInnocent ? 0 : 1, onCulprit);
  }
}

/** Clients ask again by themselves. */
function dropAll(box: BlackBox, queries: HeldQueries): number {
  const waiting = placesOfDeadThread(queries);
  for (const place of waiting) queries.free(place);
  const open = box.marks.subarray(0, box.get(head.batchCount)).filter((one) => one === mark.open).length;
  box.closeBatch(true);
  return open + waiting.length;
}

/** What was being worked on is worked on again. */
function forgetCurrent(box: BlackBox): void {
  box.set(head.currentSlot, 0);
  box.set(head.currentTicket, 0);
}

/** All that are held now: found before anything is worked on, which holds queries of its own. */
function placesOfDeadThread(queries: HeldQueries): number[] {
  const places: number[] = [];
  for (let place = 0; place < queries.placesUsed; place += 1) {
    if (queries.isHeld(place)) places.push(place);
  }
  return places;
}

function replay(
  box: BlackBox,
  queries: HeldQueries,
  batch: UdpBatch,
  places: readonly number[],
  deaths: number,
  onCulprit: OnCulprit,
): void {
  const taken = places.filter((place) => mayReplay(box, queries, place, onCulprit));
  if (taken.length === 0) return;
  for (const [slot, place] of taken.entries()) {
    const at = box.heldAt(place);
    box.copyHeldToSlot(place, slot, box.get(at + held.length));
    box.replays[slot] = box.get(at + held.replays) + deaths;
  }
  box.set(head.batchCount, taken.length);
  for (const place of taken) queries.free(place);
  batch.work(taken.length, false);
}

function mayReplay(box: BlackBox, queries: HeldQueries, place: number, onCulprit: OnCulprit): boolean {
  const at = box.heldAt(place);
  if (box.get(at + held.length) === 0) {
    queries.free(place);
    return false;
  }
  if (box.get(at + held.replays) < maxReplays) return true;
  leaveOutHeld(box, queries, place, 'waiting', onCulprit);
  return false;
}
