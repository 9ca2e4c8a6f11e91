// A thread that runs out of memory ends without an event: no handler runs, and libuv still reads datagrams,
// which are lost. So a worker checks its heap with every heartbeat and ends in order before that; its
// successor starts with an empty heap and with all that waits.

import { getHeapStatistics } from 'node:v8';

/** What is in use may reach this share of the limit; a collection that is late needs some room. */
const maxShare = 0.85;

export function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * maxShare;
}
