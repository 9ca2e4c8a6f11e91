// Which rule or list decided a query, as one number for two kinds of ids: so existing clients read it, in the
// query log and in events alike.

import type { HistoryRow } from './page.ts';

/** Positive: a rule of one's own, by id; negative: a list, -(id + 2); null: none. */
export function listIdOf({ ruleId, listId }: Pick<HistoryRow, 'ruleId' | 'listId'>): number | null {
  if (listId > 0) return -(listId + 2);
  return ruleId > 0 ? ruleId : null;
}
