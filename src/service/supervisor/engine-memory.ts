// The shared memory in the layouts of the engine. Main allocates it, so that it outlives the workers.

import {
  acquit,
  countersBytes,
  dropHeld,
  makeBlackBox,
  makeRecordRing,
  positionIn,
  RecordReader,
} from '#engine';
import type { DnsMemoryFactory } from './dns-memory.ts';

/** Some ten thousand records: enough for a reader that comes once a second at 10,000 queries a second. */
const recordsBytes = 2_097_152;

export const engineMemory: DnsMemoryFactory = {
  blackBox: () => makeBlackBox(),
  acquit,
  dropHeld,
  positionIn,
  inProgress: () => makeBlackBox(0),
  records: () => makeRecordRing(recordsBytes),
  hasRecords: (records) => new RecordReader(records).hasSome,
  counters: () => new SharedArrayBuffer(countersBytes),
};
