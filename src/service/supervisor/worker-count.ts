// The default number of dns workers, when dns.workers is 0: one fewer than there are cores, from 1 to 4. Only
// this default is limited to 4; the setting allows more.

import { availableParallelism } from 'node:os';

const maxByDefault = 4;

export function defaultWorkers(cores = availableParallelism()): number {
  return Math.min(maxByDefault, Math.max(1, cores - 1));
}
