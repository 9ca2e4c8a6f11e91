// `sluice clients suggestions`: devices that have asked and are not configured, ready to be handed to
// `sluice clients add`: by MAC address where it is known, as addresses come and go.

import type { ReplyBody } from '#contract';
import { dateText } from '../cells.ts';
import type { Talk } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import type { Columns } from '../table.ts';

type Suggestion = ReplyBody<'getClientSuggestions', 200>['clients'][number];

export interface SuggestionsOptions extends ShowOptions {
  readonly count?: number;
}

export const suggestClients = async (
  { call, terminal }: Talk,
  { json, count }: SuggestionsOptions,
): Promise<ExitCode> => {
  const reply = await call('getClientSuggestions', { query: count === undefined ? {} : { count } });
  if (!reply.ok) return refuse(terminal, 'The devices were not listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const empty = 'No device has asked that is not configured; `sluice clients` lists those that are.';
  return showList(terminal, { items: reply.body.clients, columns, empty });
};

const columns: Columns<Suggestion> = {
  device: ({ hwaddr }) => (hwaddr ?? '').replace(/^ip-/, ''),
  addresses: ({ addresses }) => (addresses ?? '').replaceAll(',', ', '),
  names: ({ names }) => (names ?? '').replaceAll(',', ', '),
  'last query': ({ lastQuery }) => dateText(lastQuery),
};
