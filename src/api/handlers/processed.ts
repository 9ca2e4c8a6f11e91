// The result of each item of a request, in the form that existing clients expect after every write.

import { fail, type Failure } from '#contract';

export interface Processed extends Warnings {
  readonly success: { item: string }[];
  readonly errors: { item: string; error: string }[];
}

export interface Warnings {
  /** Left out when there are none, as existing clients expect. */
  readonly warnings?: { item: string; warning: string }[];
}

export function processedOf(item: string): Processed {
  return { success: [{ item }], errors: [] };
}

/** The failure for an item that already exists, as specified; `reason` is the error text of the database. */
export function duplicate(
  argument: string,
  enabled: boolean,
  reason: string,
  processed: Processed = { success: [], errors: [{ item: argument, error: reason }] },
): Failure<'duplicate'> {
  return fail('duplicate', { argument, enabled, sql_msg: reason }, { beside: { processed } });
}
