// One answered query in the words of the API, as events tell it: less than the query log tells, because it
// goes to everybody who listens.

import { queryReplyNames, queryStatusNames } from '#contract';
import { type HistoryRow, listIdOf } from '#history/segments';
import { typeText } from '#wire';

export interface QueryRow {
  /** As in the query log: who shows both can tell what it has already. */
  readonly id: number;
  /** Unix time in seconds. */
  readonly time: number;
  readonly type: string;
  readonly domain: string;
  readonly client: { readonly ip: string; readonly name: string | null };
  readonly upstream: string | null;
  readonly status: string;
  readonly reply: { readonly type: string; readonly time: number };
  /** As in the query log. */
  readonly list_id: number | null;
}

export const queryRowOf = (row: HistoryRow): QueryRow => ({
  id: row.id,
  time: row.timeMs / 1000,
  type: typeText(row.type),
  domain: row.domain,
  client: { ip: row.clientIp, name: orNull(row.clientName) },
  upstream: orNull(row.upstream),
  status: queryStatusNames[row.status] ?? 'UNKNOWN',
  reply: { type: queryReplyNames[row.reply] ?? 'OTHER', time: row.durationUs / 1_000_000 },
  list_id: listIdOf(row),
});

const orNull = (text: string): string | null => (text === '' ? null : text);
