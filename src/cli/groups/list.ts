// `sluice groups list`: all groups as the service has them, the default group among them.

import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { Talk } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import type { Columns } from '../table.ts';

type Group = ReplyBody<'getGroups', 200>['groups'][number];

/** When its rules apply, by its schedules. */
const appliesText = ({ schedules, schedule: { active, next_change } }: Group): string => {
  if (schedules.length === 0) return 'always';
  if (next_change === null) return active ? 'always' : 'not now';
  return `${active ? 'until' : 'from'} ${dateText(next_change)}`;
};

const columns: Columns<Group> = {
  id: ({ id }) => String(id),
  name: ({ name }) => name,
  enabled: ({ enabled }) => yesNo(enabled),
  applies: appliesText,
  changed: ({ date_modified }) => dateText(date_modified),
  comment: ({ comment }) => comment ?? '',
};

export const listGroups = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getGroups');
  if (!reply.ok) return refuse(terminal, 'The groups were not listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  return showList(terminal, { items: reply.body.groups, columns, empty: 'There are no groups.' });
};
