// The shared memory of the dns workers. Main makes it and keeps it for as long as it runs, so that a worker
// that dies leaves behind what it had taken from the queue, what it had recorded and what it had counted, and
// its successor goes on with all of it.

import type { DnsMemory, DnsSocket } from '../threads/dns-messages.ts';

/** How each kind is made: what lies in it belongs to whoever works with it. */
export interface DnsMemoryMakers {
  readonly blackBox: () => SharedArrayBuffer;
  readonly records: () => SharedArrayBuffer;
  readonly counters: () => SharedArrayBuffer;
}

export class DnsMemoryKeeper {
  readonly #makers: DnsMemoryMakers;
  readonly #workers: {
    readonly blackBoxes: Map<string, SharedArrayBuffer>;
    readonly records: SharedArrayBuffer;
    readonly counters: SharedArrayBuffer;
  }[];

  constructor(workers: number, makers: DnsMemoryMakers) {
    this.#makers = makers;
    this.#workers = Array.from({ length: workers }, () => ({
      blackBoxes: new Map<string, SharedArrayBuffer>(),
      records: makers.records(),
      counters: makers.counters(),
    }));
  }

  /** What all workers have recorded and counted, for whoever reads it. */
  get all(): readonly Pick<DnsMemory, 'records' | 'counters'>[] {
    return this.#workers.map(({ records, counters }) => ({ records, counters }));
  }

  /** The memory of one worker with a black box for each of these sockets; those of others are given up. */
  of(index: number, sockets: readonly DnsSocket[]): DnsMemory {
    const worker = this.#workers[index];
    if (worker === undefined) throw new Error(`There is no dns worker ${index}.`);
    const { blackBoxes } = worker;
    for (const id of blackBoxes.keys()) if (!sockets.some((one) => one.id === id)) blackBoxes.delete(id);
    for (const { id } of sockets) if (!blackBoxes.has(id)) blackBoxes.set(id, this.#makers.blackBox());
    return { ...worker, blackBoxes: new Map(blackBoxes) };
  }
}
