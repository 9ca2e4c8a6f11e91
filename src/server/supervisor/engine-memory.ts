// The shared memory as the engine wants it, made by main so that it outlives the worker that uses it.

import { makeBlackBox } from '#engine';
import type { DnsMemoryMakers } from './dns-memory.ts';

const recordsBytes = 1_048_576;
const countersBytes = 4_096;

export const engineMemory: DnsMemoryMakers = {
  blackBox: () => makeBlackBox(),
  records: () => new SharedArrayBuffer(recordsBytes),
  counters: () => new SharedArrayBuffer(countersBytes),
};
