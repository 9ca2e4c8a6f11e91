// The shared memory of the dns workers. Main allocates and holds it, so that queries that a worker had read,
// its records and its counters survive its death, and the next worker continues with them.

import type { DnsSocket } from '#platform/sockets';
import type { DnsMemory } from '../messages/dns-messages.ts';

/** Allocates and reads each kind of memory; the engine defines the layouts. */
export interface DnsMemoryFactory {
  readonly blackBox: () => SharedArrayBuffer;
  /** Marks the packet in progress as not to blame for the end of the worker. */
  readonly acquit: (box: SharedArrayBuffer) => void;
  /** Marks the queries that the worker holds, so that the next worker drops them. */
  readonly dropHeld: (box: SharedArrayBuffer) => void;
  /** The progress of the worker: equal positions mean that it has done nothing in between. */
  readonly positionIn: (box: SharedArrayBuffer) => string;
  /** A black box for the packet in progress only, without waiting queries. */
  readonly inProgress: () => SharedArrayBuffer;
  readonly records: () => SharedArrayBuffer;
  /** Whether there are records that the history has not read. */
  readonly hasRecords: (records: SharedArrayBuffer) => boolean;
  readonly counters: () => SharedArrayBuffer;
}

export class DnsMemoryKeeper {
  readonly #factory: DnsMemoryFactory;
  readonly #workers: {
    readonly blackBoxes: Map<number, SharedArrayBuffer>;
    readonly replies: SharedArrayBuffer;
    readonly streams: SharedArrayBuffer;
    readonly records: SharedArrayBuffer;
    readonly counters: SharedArrayBuffer;
  }[];

  constructor(workers: number, factory: DnsMemoryFactory) {
    this.#factory = factory;
    this.#workers = Array.from({ length: workers }, () => ({
      blackBoxes: new Map<number, SharedArrayBuffer>(),
      replies: factory.inProgress(),
      streams: factory.inProgress(),
      records: factory.records(),
      counters: factory.counters(),
    }));
  }

  /** The records and counters of all workers, for other threads. */
  get all(): readonly Pick<DnsMemory, 'records' | 'counters'>[] {
    return this.#workers.map(({ records, counters }) => ({ records, counters }));
  }

  get hasRecords(): boolean {
    return this.#workers.some(({ records }) => this.#factory.hasRecords(records));
  }

  /** Call before a worker is terminated that has not crashed or hung. */
  acquit(index: number): void {
    for (const box of this.#boxes(index)) this.#factory.acquit(box);
  }

  /** Call before a worker is terminated for its silence: the next one drops the queries that it holds. */
  dropHeld(index: number): void {
    for (const box of this.#workers[index]?.blackBoxes.values() ?? []) this.#factory.dropHeld(box);
  }

  /** The progress of a worker; it does not change while the worker hangs. */
  position(index: number): string {
    return this.#boxes(index).map(this.#factory.positionIn).join();
  }

  #boxes(index: number): readonly SharedArrayBuffer[] {
    const worker = this.#workers[index];
    return worker === undefined ? [] : [...worker.blackBoxes.values(), worker.replies, worker.streams];
  }

  /** The memory of one worker, with a black box for each UDP socket that it reads; removes other boxes. */
  of(index: number, sockets: readonly DnsSocket[]): DnsMemory {
    const worker = this.#workers[index];
    if (worker === undefined) throw new Error(`There is no dns worker ${index}.`);
    const { blackBoxes } = worker;
    const read = sockets.filter((socket) => isRead(socket, index));
    for (const id of blackBoxes.keys()) if (!read.some((one) => one.id === id)) blackBoxes.delete(id);
    for (const { id } of read) if (!blackBoxes.has(id)) blackBoxes.set(id, this.#factory.blackBox());
    return { ...worker, blackBoxes: new Map(blackBoxes) };
  }
}

/** Without descriptors to share only one worker can bind the address. */
function isRead({ transport, fds }: DnsSocket, index: number): boolean {
  return transport === 'udp' && (fds.length > 0 || index === 0);
}
