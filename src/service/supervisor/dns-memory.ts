// The shared memory of the dns workers. Main makes it and keeps it for as long as it runs, so that a worker
// that dies leaves behind what it had taken from the queue, what it had recorded and what it had counted, and
// its successor goes on with all of it.

import type { DnsSocket } from '#platform/sockets';
import type { DnsMemory } from '../messages/dns-messages.ts';

/** How each kind is made: what lies in it belongs to whoever works with it. */
export interface DnsMemoryMakers {
  readonly blackBox: () => SharedArrayBuffer;
  readonly acquit: (box: SharedArrayBuffer) => void;
  /** What the worker holds is not to be worked on again. */
  readonly dropHeld: (box: SharedArrayBuffer) => void;
  /** Where the work has come to: what is the same twice went on with nothing. */
  readonly positionIn: (box: SharedArrayBuffer) => string;
  /** Room to note what is worked on, without queries that wait. */
  readonly note: () => SharedArrayBuffer;
  readonly records: () => SharedArrayBuffer;
  /** Whether anything was recorded that nobody took. */
  readonly hasRecords: (records: SharedArrayBuffer) => boolean;
  readonly counters: () => SharedArrayBuffer;
}

export class DnsMemoryKeeper {
  readonly #makers: DnsMemoryMakers;
  readonly #workers: {
    readonly blackBoxes: Map<number, SharedArrayBuffer>;
    readonly replies: SharedArrayBuffer;
    readonly streams: SharedArrayBuffer;
    readonly records: SharedArrayBuffer;
    readonly counters: SharedArrayBuffer;
  }[];

  constructor(workers: number, makers: DnsMemoryMakers) {
    this.#makers = makers;
    this.#workers = Array.from({ length: workers }, () => ({
      blackBoxes: new Map<number, SharedArrayBuffer>(),
      replies: makers.note(),
      streams: makers.note(),
      records: makers.records(),
      counters: makers.counters(),
    }));
  }

  /** What all workers have recorded and counted, for whoever reads it. */
  get all(): readonly Pick<DnsMemory, 'records' | 'counters'>[] {
    return this.#workers.map(({ records, counters }) => ({ records, counters }));
  }

  get hasRecords(): boolean {
    return this.#workers.some(({ records }) => this.#makers.hasRecords(records));
  }

  /** A worker is ended that has done nothing wrong. */
  acquit(index: number): void {
    for (const box of this.#boxes(index)) this.#makers.acquit(box);
  }

  /** A worker is ended that shows no sign of life: its successor drops the queries that it holds. */
  dropHeld(index: number): void {
    for (const box of this.#workers[index]?.blackBoxes.values() ?? []) this.#makers.dropHeld(box);
  }

  /** Where a worker has come to: it is the same twice when it hangs. */
  position(index: number): string {
    return this.#boxes(index).map(this.#makers.positionIn).join();
  }

  #boxes(index: number): readonly SharedArrayBuffer[] {
    const worker = this.#workers[index];
    return worker === undefined ? [] : [...worker.blackBoxes.values(), worker.replies, worker.streams];
  }

  /** The memory of one worker, with a black box for each UDP socket that it reads; others are given up. */
  of(index: number, sockets: readonly DnsSocket[]): DnsMemory {
    const worker = this.#workers[index];
    if (worker === undefined) throw new Error(`There is no dns worker ${index}.`);
    const { blackBoxes } = worker;
    const read = sockets.filter((socket) => isRead(socket, index));
    for (const id of blackBoxes.keys()) if (!read.some((one) => one.id === id)) blackBoxes.delete(id);
    for (const { id } of read) if (!blackBoxes.has(id)) blackBoxes.set(id, this.#makers.blackBox());
    return { ...worker, blackBoxes: new Map(blackBoxes) };
  }
}

/** Without descriptors only one worker can have the address. */
function isRead({ transport, fds }: DnsSocket, index: number): boolean {
  return transport === 'udp' && (fds.length > 0 || index === 0);
}
