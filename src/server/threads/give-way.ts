// A thread that works on much and that nobody waits for by the millisecond gives way to those that answer
// queries: on a machine with few cores the kernel otherwise shares the time equally between them.

import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** Of the calling thread alone where the system counts threads (Linux); elsewhere nothing is done. */
export function giveWay(): void {
  // A service that is below that already may not climb.
  if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL)
    setPriority(PRIORITY_BELOW_NORMAL);
}
