// Which rule or list decided a query, as one number for both kinds of ids. Existing clients expect it in this
// form, in the query log and in events.

import type { HistoryRow } from './page.ts';

/** Positive: the id of a custom rule; negative: a list, -(id + 2); null: none. */
export function listIdOf({ ruleId, listId }: Pick<HistoryRow, 'ruleId' | 'listId'>): number | null {
  if (listId > 0) return -(listId + 2);
  return ruleId > 0 ? ruleId : null;
}
