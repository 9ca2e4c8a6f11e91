// `sluice domains list`: entries with the names of their groups. Names in other scripts are shown both ways,
// as people write them and as DNS does.

import type { ReplyBody } from '#contract';
import { dateOrNever, yesNo } from '../cells.ts';
import type { Talk } from '../context.ts';
import type { ControlClient } from '../control.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import type { Columns } from '../table.ts';
import { kindOf, typeOf, type PlaceOptions } from './place.ts';

type Domain = ReplyBody<'getDomains', 200>['domains'][number];

export const listDomains = async (
  { call, terminal }: Talk,
  options: PlaceOptions & ShowOptions,
): Promise<ExitCode> => {
  const reply = await askFor(call, options);
  if (!reply.ok) return refuse(terminal, 'The domains were not listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const columns = columnsWith(groups.value);
  return showList(terminal, { items: reply.body.domains, columns, empty: emptyText(options) });
};

const emptyText = (options: PlaceOptions): string =>
  (typeOf(options) ?? kindOf(options)) === undefined
    ? 'There are no domains; `sluice domains add` adds some.'
    : 'There are no such domains; `sluice domains` lists all.';

const askFor = (call: ControlClient, options: PlaceOptions) => {
  const [type, kind] = [typeOf(options), kindOf(options)];
  if (type !== undefined && kind !== undefined) return call('getDomainList', { params: { type, kind } });
  const list = type ?? kind;
  return list === undefined ? call('getDomains') : call('getDomainsOf', { params: { list } });
};

const columnsWith = (groupNames: ReadonlyMap<number, string>): Columns<Domain> => ({
  domain: ({ domain, unicode }) => (domain === unicode ? domain : `${unicode} (${domain})`),
  type: ({ type }) => type,
  kind: ({ kind }) => kind,
  enabled: ({ enabled }) => yesNo(enabled),
  ends: ({ expires_at }) => dateOrNever(expires_at),
  groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
  comment: ({ comment }) => comment ?? '',
});
