// On a machine with few cores a thread that works on much and that nobody waits for by the millisecond gives
// way to those that answer queries. A nice value alone makes the kernel give less time, but
// whoever has begun a turn ends it, up to 4 ms, while queries wait (docs/decisions/015). What cannot be had
// (no Linux, no koffi, no right to it) is done without.

import { constants, getPriority, setPriority } from 'node:os';
import { loadSchedulerCalls } from '../sockets/scheduler-calls.ts';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

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
