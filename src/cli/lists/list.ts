// `sluice lists list`: subscriptions with what their last update brought and the names of their groups.

import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import type { Columns } from '../table.ts';
import { typeOf, type TypeOptions } from './place.ts';

type List = ReplyBody<'getLists', 200>['lists'][number];

export const listLists = async (
  { call, terminal }: Talk,
  options: TypeOptions & ShowOptions,
): Promise<ExitCode> => {
  const type = typeOf(options);
  const reply = await call('getLists', type === undefined ? {} : { query: { type } });
  if (!reply.ok) return refuse(terminal, 'The lists were not listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const empty =
    type === undefined
      ? 'There are no lists; `sluice lists add` adds some.'
      : 'There are no such lists; `sluice lists` lists all.';
  return showList(terminal, { items: reply.body.lists, columns: columnsWith(groups.value), empty });
};

const states: readonly string[] = [
  'not yet',
  'downloaded',
  'unchanged',
  'unavailable, older copy',
  'unavailable',
];

const columnsWith = (groupNames: ReadonlyMap<number, string>): Columns<List> => ({
  address: ({ address }) => address,
  type: ({ type }) => type,
  enabled: ({ enabled }) => yesNo(enabled),
  entries: ({ number }) => String(number),
  changed: ({ date_updated }) => (date_updated === 0 ? 'never' : dateText(date_updated)),
  update: ({ status, held }) => (held ? 'held: see copies' : (states[status] ?? String(status))),
  groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
  comment: ({ comment }) => comment ?? '',
});
