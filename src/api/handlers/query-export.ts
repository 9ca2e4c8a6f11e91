// The handler that hands out all queries that fit: page after page, each asked for when the one before is
// written, so that neither their number nor a slow reader costs memory.

import type { RowFilter } from '#history/segments';
import type { PageResult } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import {
  ask,
  hidesClients,
  hidesDomains,
  hidesQueries,
  isFailure,
  nothing,
  type HistoryParts,
} from './history-scope.ts';
import { filterOf } from './query-filter.ts';
import { presentQuery, type QueryResult } from './query-row.ts';

const rowsPerPart = 2_000;
/** Nobody waits for a page of an export as for one on a screen; but others wait for it to end. */
const partMaxMs = 2_000;

type ExportRequest = Request<'exportQueries'>;

export function createExportHandlers(parts: HistoryParts): Pick<Handlers, 'exportQueries'> {
  return {
    exportQueries: async (asked) => {
      // One signal for all parts: each one that is asked for listens to the connection.
      const gone = asked.gone?.();
      const request = gone === undefined ? asked : { ...asked, gone: () => gone };
      const filter = filterOf(parts, request.query);
      if ('failure' in filter) return filter;
      const wanted = hidesQueries(parts) ? nothing : filter;
      const first = await askPart(parts, request, wanted, undefined);
      if (isFailure(first)) return first;
      const { format = 'csv' } = request.query;
      const headers = {
        'content-type': `${format === 'csv' ? 'text/csv' : 'application/x-ndjson'}; charset=utf-8`,
        'content-disposition': `attachment; filename="queries.${format}"`,
      };
      const written = writtenParts(parts, request, wanted, first);
      return { status: 200, live: { form: 'text', headers, parts: written } };
    },
  };
}

function askPart(parts: HistoryParts, request: ExportRequest, filter: RowFilter, after: number | undefined) {
  const { from, until } = request.query;
  const wanted = {
    ...filter,
    ...(from !== undefined && { fromMs: from * 1000 }),
    ...(until !== undefined && { untilMs: until * 1000 }),
    ...(after !== undefined && { after }),
  };
  const page = { ...wanted, start: 0, length: rowsPerPart, isUncounted: true };
  return ask(parts, request, 'page', page, partMaxMs);
}

/**
 * Throws when it cannot go on: then the connection is ended without the last chunk (RFC 9112 section 8), so
 * that nobody takes what was cut off for all.
 */
async function* writtenParts(
  parts: HistoryParts,
  request: ExportRequest,
  filter: RowFilter,
  first: PageResult,
): AsyncGenerator<string, void, void> {
  const isCsv = request.query.format !== 'jsonl';
  const hidden = { domains: hidesDomains(parts), clients: hidesClients(parts) };
  const lineOf = isCsv ? csvLine : jsonLine;
  if (isCsv) yield `${Object.keys(columns).join(',')}\r\n`;
  for (let page: PageResult | undefined = first; page !== undefined;) {
    yield page.rows.map((row) => lineOf(presentQuery(row, hidden))).join('');
    page = await partAfter(page, (after) => askPart(parts, request, filter, after), request.gone?.());
  }
}

/** Nothing at the end, or when there is nobody any more: whoever ends a download has not met with a fault. */
async function partAfter(
  page: PageResult,
  askAfter: (after: number) => ReturnType<typeof askPart>,
  gone: AbortSignal | undefined,
): Promise<PageResult | undefined> {
  const { next, isCut } = page;
  if (next === undefined && isCut) throw cutOff('it took too long to look through all names');
  if (next === undefined) return undefined;
  const told = await askAfter(next);
  if (isFailure(told) && gone?.aborted === true) return undefined;
  if (isFailure(told)) throw cutOff(JSON.stringify(told.hint));
  const problem = problemBetween(page, told);
  if (problem !== undefined) throw cutOff(problem);
  return told;
}

/** Why one page cannot follow the other. */
function problemBetween(page: PageResult, { begunMs, isCut, next }: PageResult): string | undefined {
  if (begunMs !== page.begunMs) return 'the history was broken, and another one begun';
  return isCut && next === page.next ? 'the disk is too slow' : undefined;
}

function cutOff(why: string): Error {
  return new Error(`The export was cut off: ${why}`);
}

function jsonLine(query: QueryResult): string {
  return `${JSON.stringify(query)}\n`;
}

const columns: Readonly<Record<string, (query: QueryResult) => string | number | null>> = {
  id: ({ id }) => id,
  time: ({ time }) => time,
  type: ({ type }) => type,
  status: ({ status }) => status,
  dnssec: ({ dnssec }) => dnssec,
  domain: ({ domain }) => domain,
  upstream: ({ upstream }) => upstream,
  reply_type: ({ reply }) => reply.type,
  reply_time: ({ reply }) => reply.time,
  client_ip: ({ client }) => client.ip,
  client_name: ({ client }) => client.name,
  list_id: ({ list_id }) => list_id,
  ede_code: ({ ede }) => ede.code,
  ede_text: ({ ede }) => ede.text,
  cname: ({ cname }) => cname,
};

const cells = Object.values(columns);
function csvLine(query: QueryResult): string {
  return `${cells.map((cell) => csvCell(cell(query))).join(',')}\r\n`;
}

/**
 * Whoever asks chooses the names, and spreadsheets take a text that begins with one of these signs for a
 * formula: a quote before it makes it a text.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
