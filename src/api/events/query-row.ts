// One answered query as an event contains it, by the names of the API. It has fewer fields than a row of the
// query log, because it is sent to every reader.

import { queryReplyNames, queryStatusNames } from '#contract';
import { type HistoryRow, listIdOf } from '#history/segments';
import { typeText } from '#wire';

export interface QueryRow {
  /** As in the query log, so that a client that shows both can recognise duplicates. */
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

export function queryRowOf(row: HistoryRow): QueryRow {
  return {
    id: row.id,
    time: row.timeMs / 1000,
    type: typeText(row.type),
    domain: row.domain,
    client: { ip: row.clientIp, name: orNull(row.clientName) },
    upstream: orNull(row.upstream),
    status: queryStatusNames[row.status] ?? 'UNKNOWN',
    reply: { type: queryReplyNames[row.reply] ?? 'OTHER', time: row.durationUs / 1_000_000 },
    list_id: listIdOf(row),
  };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
