// `sluice clients list`: configured clients with the names of their groups; everybody else is in the default
// group and is not listed.

import type { ReplyBody } from '#contract';
import { dateText } from '../cells.ts';
import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import type { Columns } from '../table.ts';

type Client = ReplyBody<'getClients', 200>['clients'][number];

export const listClients = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getClients');
  if (!reply.ok) return refuse(terminal, 'The clients were not listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) {
    terminal.error(groups.problem);
    return exitCodes.failed;
  }
  const empty = 'There are no clients; `sluice clients add` adds some.';
  return showList(terminal, { items: reply.body.clients, columns: columnsWith(groups.value), empty });
};

const columnsWith = (groupNames: ReadonlyMap<number, string>): Columns<Client> => ({
  client: ({ client }) => client,
  name: ({ name }) => name,
  groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
  changed: ({ date_modified }) => dateText(date_modified),
  comment: ({ comment }) => comment ?? '',
});
