// One event as each filter lets it through. A batch of queries is read back from its bytes, once and only
// when somebody narrows it, and written once for each filter, however many readers have it: so events need
// not be kept in two forms for those who come again.

import type { KeptEvent } from './event-ring.ts';
import type { QueryFilter } from './query-filter.ts';
import type { QueryRow } from './query-row.ts';

interface Batch {
  readonly queries: readonly QueryRow[];
  readonly left_out: number;
}

const dataMark = '\ndata: ';

export class NarrowedEvent {
  readonly #event: KeptEvent;
  readonly #byKey = new Map<string, Buffer | undefined>();
  #read: { readonly head: string; readonly batch: Batch } | undefined;

  constructor(event: KeptEvent) {
    this.#event = event;
  }

  /** Nothing when none of the queries fits and none was left out. */
  bytesFor(filter: QueryFilter | undefined): Buffer | undefined {
    if (filter === undefined || this.#event.type !== 'queries') return this.#event.bytes;
    if (!this.#byKey.has(filter.key)) this.#byKey.set(filter.key, this.#narrow(filter));
    return this.#byKey.get(filter.key);
  }

  #narrow({ fits }: QueryFilter): Buffer | undefined {
    const { head, batch } = (this.#read ??= readBatch(this.#event));
    const queries = batch.queries.filter(fits);
    if (queries.length === 0 && batch.left_out === 0) return undefined;
    return Buffer.from(`${head}${JSON.stringify({ ...batch, queries })}\n\n`);
  }
}

function readBatch({ bytes }: KeptEvent): { readonly head: string; readonly batch: Batch } {
  const text = bytes.toString();
  const at = text.indexOf(dataMark) + dataMark.length;
  // Written by `eventBytes` from such a batch.
  return { head: text.slice(0, at), batch: JSON.parse(text.slice(at)) as Batch };
}
