// The shared memory as the engine wants it, made by main so that it outlives the worker that uses it.

import {
  acquit,
  countersBytes,
  dropHeld,
  makeBlackBox,
  makeRecordRing,
  positionIn,
  RecordReader,
} from '#engine';
import type { DnsMemoryMakers } from './dns-memory.ts';

/** Some ten thousand records: a reader that comes each second misses none at 10,000 queries a second. */
const recordsBytes = 2_097_152;

export const engineMemory: DnsMemoryMakers = {
  blackBox: () => makeBlackBox(),
  acquit,
  dropHeld,
  positionIn,
  note: () => makeBlackBox(0),
  records: () => makeRecordRing(recordsBytes),
  hasRecords: (records) => new RecordReader(records).hasSome,
  counters: () => new SharedArrayBuffer(countersBytes),
};
