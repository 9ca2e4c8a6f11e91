// What a group leaves behind when it is removed: clients, rules and lists that are in no other group have no
// effect any more. Clients without a group are easily overlooked, so the group is then removed only if the
// user insists.

import type { ReplyBody } from '#contract';
import type { ControlClient } from '../control.ts';
import { reasonOf } from '../failure.ts';
import { printable, quoted } from '../printable.ts';
import { groupsById } from './lookup.ts';

type Client = ReplyBody<'getClients', 200>['clients'][number];

export interface LeftBehind {
  /** The name of the default group, which may have been renamed. */
  readonly usualGroup: string;
  readonly clients: readonly Client[];
  readonly rules: number;
  readonly lists: number;
}

const defaultGroup = 0;
const shownClients = 5;

type Found =
  | { readonly ok: true; readonly value: LeftBehind }
  | { readonly ok: false; readonly problem: string };

/** Nothing for a group that does not exist, which its removal reports. */
export async function leftBehind(call: ControlClient, name: string): Promise<Found> {
  const groups = await groupsById(call);
  if (!groups.ok) return groups;
  const [id] = [...groups.value].find(([, one]) => one === name) ?? [];
  const clients = await call('getClients');
  if (!clients.ok) return { ok: false, problem: `The clients cannot be read: ${reasonOf(clients)}` };
  const rules = await call('getDomains');
  if (!rules.ok) return { ok: false, problem: `The rules cannot be read: ${reasonOf(rules)}` };
  const lists = await call('getLists');
  if (!lists.ok) return { ok: false, problem: `The lists cannot be read: ${reasonOf(lists)}` };
  const isOnlyHere = (item: { readonly groups: readonly number[] }): boolean =>
    item.groups.length > 0 && item.groups.every((group) => group === id);
  return {
    ok: true,
    value: {
      usualGroup: groups.value.get(defaultGroup) ?? 'Default',
      clients: clients.body.clients.filter(isOnlyHere),
      rules: rules.body.domains.filter(isOnlyHere).length,
      lists: lists.body.lists.filter(isOnlyHere).length,
    },
  };
}

/** Why the group was not removed. */
export function keptText(name: string, { clients, usualGroup }: LeftBehind): string {
  const shown = clients.slice(0, shownClients).map(({ client }) => printable(client));
  const more = clients.length > shownClients ? `, and ${clients.length - shownClients} more` : '';
  return (
    `Group ${quoted(name)} was not removed: ${counted(clients.length, 'client')} would be in no group, so ` +
    `that no rule and no list applies: ${shown.join(', ')}${more}. Put them into another group first ` +
    `(\`sluice clients set ${shown[0] ?? ''} --group ${quoted(usualGroup)}\`), or use --force.`
  );
}

/** After the removal; empty when everything is still in some group. */
export function leftText({ clients, rules, lists }: LeftBehind): string {
  const parts = [
    ...(clients.length === 0 ? [] : [counted(clients.length, 'client')]),
    ...(rules === 0 ? [] : [counted(rules, 'rule')]),
    ...(lists === 0 ? [] : [counted(lists, 'list')]),
  ];
  if (parts.length === 0) return '';
  const last = parts.at(-1) ?? '';
  const all = parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  return ` In no group any more, and so without effect: ${all}.`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
