// On a machine with few cores a thread that works on much and that nobody waits for by the millisecond gives
// way to those that answer queries. A nice value alone makes the kernel give less time, but
// whoever has begun a turn ends it, up to 4 ms, while queries wait (docs/decisions/015). What cannot be had
// (no Linux, no koffi, no right to it) is done without.

import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** Of the calling thread alone, for good. It still gets a little when others want everything. */
export function lowerPriority(): void {
  // A service that is below that already may not climb.
  if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL)
    setPriority(PRIORITY_BELOW_NORMAL);
}

/** The kernel's number of the calling thread, for whoever gives it another class; 0 without /proc. */
export function kernelThread(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? 0);
  } catch {
    return 0;
  }
}
