// The statistics, computed from the partial sums of a range. Large parts (names) are summed from the encoded
// lists range by range, never all at once.

import { distinctIn, mergeCounts, topOf, type Ranked } from './counts-sum.ts';
import { encodeCounts, eachCount } from './counts.ts';
import type { PartialSum } from './partial-sum.ts';
import {
  decodeClients,
  decodeHead,
  mergeClientSlots,
  mergeHeads,
  slotSeconds,
  type ClientSums,
  type Head,
  type RollupPart,
  type Slot,
} from './rollup-code.ts';
import { Column, type ColumnNumber } from './rows.ts';
import { classesOfStatuses, StatusClass } from './statuses.ts';

/** Lists beyond this size are summed before more are read. */
const maxListBytes = 32 * 1024 * 1024;

export type Counts = ReadonlyMap<number, number>;

export interface Summary {
  readonly total: number;
  readonly blocked: number;
  readonly cached: number;
  readonly forwarded: number;
  readonly uniqueDomains: number;
  readonly activeClients: number;
  readonly types: Counts;
  readonly statuses: Counts;
  readonly replies: Counts;
}

export interface UpstreamSum {
  readonly id: number;
  readonly count: number;
  readonly meanUs: number;
  /** Standard error of the mean. */
  readonly deviationUs: number;
}

export interface ListSum {
  readonly id: number;
  /** How many rows name the list. */
  readonly hits: number;
  readonly blocked: number;
}

export interface SlotOf extends Slot {
  /** Where the slot begins. */
  readonly fromSeconds: number;
}

export interface ClientSlot {
  readonly fromSeconds: number;
  /** Counts by client. */
  readonly counts: Counts;
}

export class Statistics {
  readonly total: number;
  readonly blocked: number;
  readonly #partialSums: readonly PartialSum[];
  #head: Head | undefined;
  #clients: readonly ClientSums[] | undefined;

  constructor(partialSums: readonly PartialSum[]) {
    this.#partialSums = partialSums;
    this.total = partialSums.reduce((sum, { rows }) => sum + rows, 0);
    this.blocked = partialSums.reduce((sum, { blocked }) => sum + blocked, 0);
  }

  summary(): Summary {
    const statuses = this.counts(Column.status);
    const ofClass = (wanted: number): number =>
      [...statuses].reduce(
        (sum, [status, count]) => sum + (classesOfStatuses[status] === wanted ? count : 0),
        0,
      );
    return {
      total: this.total,
      blocked: this.blocked,
      cached: ofClass(StatusClass.cached),
      forwarded: ofClass(StatusClass.forwarded),
      uniqueDomains: distinctIn([this.#lists('permitted'), this.#lists('denied')]),
      activeClients: distinctIn([this.#clientSums().map(({ totals }) => totals)]),
      types: this.counts(Column.type),
      statuses,
      replies: this.counts(Column.reply),
    };
  }

  /** How often each value of a small field occurs. */
  counts(column: ColumnNumber): Counts {
    const list = this.#mergedHead().counts.get(column);
    return list === undefined ? new Map() : decoded(list);
  }

  /** The most used first. */
  upstreams(): UpstreamSum[] {
    const sums = [...this.#mergedHead().upstreams].map(([id, { count, sumUs, sumSquaresUs }]) => {
      const meanUs = sumUs / count;
      const variance = Math.max(sumSquaresUs / count - meanUs * meanUs, 0);
      return { id, count, meanUs, deviationUs: Math.sqrt(variance / count) };
    });
    return sums.sort((a, b) => b.count - a.count || a.id - b.id);
  }

  topNames(kind: 'permitted' | 'blocked', most: number): Ranked[] {
    return topOf(this.#lists(kind === 'blocked' ? 'denied' : 'permitted'), most);
  }

  topClients(kind: 'all' | 'blocked', most: number): Ranked[] {
    const sums = this.#clientSums();
    return topOf(
      sums.map(({ totals, blocked }) => (kind === 'blocked' ? blocked : totals)),
      most,
    );
  }

  /** Slots with at least one query, ascending. */
  slots(): SlotOf[] {
    return [...this.#mergedHead().slots].map(([slot, sums]) => ({
      fromSeconds: slot * slotSeconds,
      ...sums,
    }));
  }

  /** Slots with at least one query, ascending. */
  clientSlots(): ClientSlot[] {
    // Decoded on demand: slots times clients may be millions.
    return [...mergeClientSlots(this.#clientSums())].map(([slot, list]) => ({
      fromSeconds: slot * slotSeconds,
      get counts() {
        return decoded(list);
      },
    }));
  }

  lists(): ListSum[] {
    const blocked = decoded(this.#mergedHead().listBlocks);
    const sums = [...this.counts(Column.list)].map(([id, hits]) => ({
      id,
      hits,
      blocked: blocked.get(id) ?? 0,
    }));
    return sums.filter(({ id }) => id !== 0).sort((a, b) => b.hits - a.hits || a.id - b.id);
  }

  #mergedHead(): Head {
    return (this.#head ??= mergeHeads(
      this.#partialSums.map((partialSum) => decodeHead(partialSum.part('head'))),
    ));
  }

  #clientSums(): readonly ClientSums[] {
    return (this.#clients ??= this.#partialSums.map((partialSum) =>
      decodeClients(partialSum.part('clients')),
    ));
  }

  #lists(part: RollupPart): Uint8Array[] {
    let lists: Uint8Array[] = [];
    let bytes = 0;
    for (const partialSum of this.#partialSums) {
      const list = partialSum.part(part);
      lists.push(list);
      bytes += list.length;
      if (bytes < maxListBytes) continue;
      lists = [encodeCounts(mergeCounts(lists))];
      bytes = lists[0]?.length ?? 0;
    }
    return lists;
  }
}

function decoded(list: Uint8Array): Map<number, number> {
  const counts = new Map<number, number>();
  eachCount(list, (id, count) => counts.set(id, count));
  return counts;
}
