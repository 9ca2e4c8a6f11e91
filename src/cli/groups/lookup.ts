// Groups by name and back: people know names, the API knows ids.

import type { ControlClient } from '../control.ts';
import { reasonOf } from '../failure.ts';
import { quoted } from '../printable.ts';

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The ids of the groups named; nobody named any: nothing, which leaves it to the service. */
export const groupIds = async (
  call: ControlClient,
  names: readonly string[] | undefined,
): Promise<Found<number[] | undefined>> => {
  if (names === undefined) return { ok: true, value: undefined };
  const groups = await groupsById(call);
  if (!groups.ok) return groups;
  const idByName = new Map([...groups.value].map(([id, name]) => [name, id]));
  const unknown = names.find((name) => !idByName.has(name));
  if (unknown !== undefined) return { ok: false, problem: unknownGroup(unknown, [...idByName.keys()]) };
  return { ok: true, value: names.flatMap((name) => idByName.get(name) ?? []) };
};

export const groupsById = async (call: ControlClient): Promise<Found<ReadonlyMap<number, string>>> => {
  const reply = await call('getGroups');
  if (!reply.ok) return { ok: false, problem: `The groups were not found: ${reasonOf(reply)}` };
  return { ok: true, value: new Map(reply.body.groups.map(({ id, name }) => [id, name])) };
};

const shownNames = 10;

const unknownGroup = (name: string, known: readonly string[]): string => {
  const shown = known.slice(0, shownNames).map(quoted).join(', ');
  const more = known.length > shownNames ? ', … (`sluice groups` lists all)' : '';
  return `There is no group ${quoted(name)}. There are: ${shown}${more}.`;
};
