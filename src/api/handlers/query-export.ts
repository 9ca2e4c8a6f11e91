// The handler that exports all matching queries page by page. A page is requested when the one before has
// been written, so that neither the number of queries nor a slow reader costs memory.

import type { RowFilter } from '#history/segments';
import type { PageResult } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import {
  queryHistory,
  hidesClients,
  hidesDomains,
  hidesQueries,
  isFailure,
  noRows,
  type HistoryParts,
} from './history-scope.ts';
import { filterOf } from './query-filter.ts';
import { presentQuery, type QueryResult } from './query-row.ts';

const rowsPerPart = 2_000;
/** A page of an export may take longer than one on a screen, but it delays other questions to the history. */
const maxPartMs = 2_000;

type ExportRequest = Request<'exportQueries'>;

export function createExportHandlers(parts: HistoryParts): Pick<Handlers, 'exportQueries'> {
  return {
    exportQueries: async (received) => {
      // One signal for all parts, because each call of `gone` adds a listener to the connection.
      const gone = received.gone?.();
      const request = gone === undefined ? received : { ...received, gone: () => gone };
      const filter = filterOf(parts, request.query);
      if ('failure' in filter) return filter;
      const wanted = hidesQueries(parts) ? noRows : filter;
      const first = await queryPart(parts, request, wanted, undefined);
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

function queryPart(
  parts: HistoryParts,
  request: ExportRequest,
  filter: RowFilter,
  after: number | undefined,
) {
  const { from, until } = request.query;
  const wanted = {
    ...filter,
    ...(from !== undefined && { fromMs: from * 1000 }),
    ...(until !== undefined && { untilMs: until * 1000 }),
    ...(after !== undefined && { after }),
  };
  const page = { ...wanted, start: 0, length: rowsPerPart, isUncounted: true };
  return queryHistory(parts, request, 'page', page, maxPartMs);
}

/**
 * Throws when the export fails: then the connection is closed without the last chunk (RFC 9112 section 8), so
 * that the client recognises the export as incomplete.
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
    page = await partAfter(page, (after) => queryPart(parts, request, filter, after), request.gone?.());
  }
}

/** Undefined at the end, or when the client has disconnected, which is not an error. */
async function partAfter(
  page: PageResult,
  queryAfter: (after: number) => ReturnType<typeof queryPart>,
  gone: AbortSignal | undefined,
): Promise<PageResult | undefined> {
  const { next, isCut } = page;
  if (next === undefined && isCut) throw exportError('it took too long to search all names');
  if (next === undefined) return undefined;
  const result = await queryAfter(next);
  if (isFailure(result) && gone?.aborted === true) return undefined;
  if (isFailure(result)) throw exportError(JSON.stringify(result.hint));
  const problem = problemBetween(page, result);
  if (problem !== undefined) throw exportError(problem);
  return result;
}

/** Why the export cannot continue with the next page. */
function problemBetween(page: PageResult, { begunMs, isCut, next }: PageResult): string | undefined {
  if (begunMs !== page.begunMs) return 'the history was broken and replaced by a new one';
  return isCut && next === page.next ? 'the disk is too slow' : undefined;
}

function exportError(why: string): Error {
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
 * Clients of the DNS choose the names, and spreadsheets read a text that begins with one of these characters
 * as a formula: a quote before it makes it a text.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
