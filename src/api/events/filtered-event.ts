// One event, filtered for its readers. A batch of queries is parsed back from its bytes at most once, when a
// reader has a filter, and serialised once per filter, no matter how many readers share it. Therefore the
// event log stores events only as bytes.

import type { KeptEvent } from './event-ring.ts';
import type { QueryFilter } from './query-filter.ts';
import type { QueryRow } from './query-row.ts';

interface Batch {
  readonly queries: readonly QueryRow[];
  readonly left_out: number;
}

const dataMark = '\ndata: ';

export class FilteredEvent {
  readonly #event: KeptEvent;
  readonly #byKey = new Map<string, Buffer | undefined>();
  #read: { readonly head: string; readonly batch: Batch } | undefined;

  constructor(event: KeptEvent) {
    this.#event = event;
  }

  /** Undefined when no query matches and none was left out. */
  bytesFor(filter: QueryFilter | undefined): Buffer | undefined {
    if (filter === undefined || this.#event.type !== 'queries') return this.#event.bytes;
    if (!this.#byKey.has(filter.key)) this.#byKey.set(filter.key, this.#filter(filter));
    return this.#byKey.get(filter.key);
  }

  #filter({ matches }: QueryFilter): Buffer | undefined {
    const { head, batch } = (this.#read ??= readBatch(this.#event));
    const queries = batch.queries.filter(matches);
    if (queries.length === 0 && batch.left_out === 0) return undefined;
    return Buffer.from(`${head}${JSON.stringify({ ...batch, queries })}\n\n`);
  }
}

function readBatch({ bytes }: KeptEvent): { readonly head: string; readonly batch: Batch } {
  const text = bytes.toString();
  const at = text.indexOf(dataMark) + dataMark.length;
  // `eventBytes` has written these bytes from a batch.
  return { head: text.slice(0, at), batch: JSON.parse(text.slice(at)) as Batch };
}
