// Who goes first on a machine with few cores. A thread that works on much and that nobody waits for by the
// millisecond gives way; one that answers queries asks for short turns. Both are needed: a low priority alone
// makes the kernel's scheduler (EEVDF, Linux 6.6 and later) give less time, but whoever has begun a turn ends
// it, up to 4 ms, while queries wait. What cannot be had (no Linux, no koffi, no right to it) is done without.

import { constants, getPriority, setPriority } from 'node:os';
import { loadSchedulerCalls } from '../sockets/scheduler-calls.ts';

const { PRIORITY_BELOW_NORMAL } = constants.priority;
/** A fraction of the usual turn (1 to 4 ms): who takes shorter turns than the one that runs is let in at once. */
const answerTurnNs = 250_000;

/** Of the calling thread alone, for good. It still gets a little when others want everything. */
export function giveWay(): void {
  // A service that is below that already may not climb.
  if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL)
    setPriority(PRIORITY_BELOW_NORMAL);
}

/** The same, and it gets only time that nobody else wants: for work that somebody watches over. */
export function giveWayAtOnce(): void {
  giveWay();
  loadSchedulerCalls()?.onlyWhenIdle();
}

/** Of the calling thread alone. Needs Linux 6.12; earlier ones take it and do nothing. */
export function takeShortTurns(): void {
  loadSchedulerCalls()?.turnsOf(answerTurnNs, getPriority());
}
