// What became of each item of a request, in the shape that existing clients read after every write.

import { fail, type Failure } from '#contract';

export interface Processed {
  readonly success: { item: string }[];
  readonly errors: { item: string; error: string }[];
}

export function processedOf(item: string): Processed {
  return { success: [{ item }], errors: [] };
}

/**
 * What is there already, in the words of the specification; `reason` is the database's own.
 */
export function duplicate(
  argument: string,
  enabled: boolean,
  reason: string,
  processed: Processed = { success: [], errors: [{ item: argument, error: reason }] },
): Failure<'duplicate'> {
  return fail('duplicate', { argument, enabled, sql_msg: reason }, { beside: { processed } });
}
