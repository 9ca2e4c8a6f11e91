// How many dns workers there are when the setting dns.workers leaves that to the service: one fewer than
// there are cores, from 1 to 4. Only this default is bounded by 4; the setting allows more.

import { availableParallelism } from 'node:os';

const usualMax = 4;

export function usualWorkers(cores = availableParallelism()): number {
  return Math.min(usualMax, Math.max(1, cores - 1));
}
