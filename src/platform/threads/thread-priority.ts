// On a machine with few cores, a thread with much work that is not urgent yields to the threads that answer
// queries. A nice value alone makes the kernel give it less time, but a running thread finishes its time
// slice, up to 4 ms, while queries wait (docs/decisions/015). Without Linux, koffi or the right to it,
// priorities are not changed.

import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** For the calling thread, permanently. It still gets a little time when other threads are busy. */
export function lowerPriority(): void {
  // A service that already has a lower priority may not raise it.
  if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL)
    setPriority(PRIORITY_BELOW_NORMAL);
}

/**
 * The kernel's number of the calling thread, for the thread that changes its scheduling class; 0 without
 * /proc.
 */
export function kernelThread(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? 0);
  } catch {
    return 0;
  }
}
