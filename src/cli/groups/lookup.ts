// Group names to ids and back: people use names, the API uses ids.

import type { ControlClient } from '../control.ts';
import { reasonOf } from '../failure.ts';
import { quoted } from '../printable.ts';

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The ids of the named groups; undefined without names, so that the service uses its default. */
export async function groupIds(
  call: ControlClient,
  names: readonly string[] | undefined,
): Promise<Found<number[] | undefined>> {
  if (names === undefined) return { ok: true, value: undefined };
  const groups = await groupsById(call);
  if (!groups.ok) return groups;
  const idByName = new Map([...groups.value].map(([id, name]) => [name, id]));
  const unknown = names.find((name) => !idByName.has(name));
  if (unknown !== undefined) return { ok: false, problem: unknownGroup(unknown, [...idByName.keys()]) };
  return { ok: true, value: names.flatMap((name) => idByName.get(name) ?? []) };
}

export async function groupsById(call: ControlClient): Promise<Found<ReadonlyMap<number, string>>> {
  const reply = await call('getGroups');
  if (!reply.ok) return { ok: false, problem: `The groups cannot be read: ${reasonOf(reply)}` };
  return { ok: true, value: new Map(reply.body.groups.map(({ id, name }) => [id, name])) };
}

const shownNames = 10;

function unknownGroup(name: string, known: readonly string[]): string {
  const shown = known.slice(0, shownNames).map(quoted).join(', ');
  const more = known.length > shownNames ? ', … (`sluice groups` lists all)' : '';
  return `There is no group ${quoted(name)}. Existing groups: ${shown}${more}.`;
}
