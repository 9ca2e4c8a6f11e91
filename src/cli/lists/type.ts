// Whether a list blocks or allows. One address may be a list of both types, so commands look for both unless
// options select one.

import { Option } from 'commander';
import type { ControlClient } from '../control.ts';
import { refusalText } from '../failure.ts';
import { article, named, type Subject } from '../subject.ts';

export type ListType = 'block' | 'allow';

export interface TypeOptions {
  readonly block?: true;
  readonly allow?: true;
}

export function typeOptions(): readonly Option[] {
  return [
    new Option('--block', 'only lists that block').conflicts('allow'),
    new Option('--allow', 'only lists that allow'),
  ];
}

export function typeOf({ allow, block }: TypeOptions): ListType | undefined {
  if (allow === true) return 'allow';
  return block === true ? 'block' : undefined;
}

/** For sentences: `blocking list "x"`. */
export function listSubject(type: ListType, address: string): Subject {
  return { thing: type === 'block' ? 'blocking list' : 'allowing list', name: address };
}

type Found =
  | { readonly ok: true; readonly type: ListType }
  | { readonly ok: false; readonly problem: string };

/** The type of the one list with this address; a problem if there is none, or several. */
export async function findListType(
  call: ControlClient,
  address: string,
  options: TypeOptions,
): Promise<Found> {
  const type = typeOf(options);
  const query = type === undefined ? {} : { type };
  const reply = await call('getList', { params: { list: address }, query });
  if (!reply.ok) {
    const subject = type === undefined ? { thing: 'list', name: address } : listSubject(type, address);
    return {
      ok: false,
      problem: absentText(reply.status, named(subject)) ?? refusalText(subject, 'looked up', reply),
    };
  }
  const [list, ...others] = reply.body.lists;
  if (list === undefined) return { ok: false, problem: `There is no list ${address}.` };
  if (others.length === 0) return { ok: true, type: list.type };
  const isOneType = others.every((other) => other.type === list.type);
  return { ok: false, problem: isOneType ? severalText(reply.body.lists) : ambiguous(address) };
}

function absentText(status: number, subject: string): string | undefined {
  return status === 404 ? `There is no ${subject}; \`sluice lists\` lists all.` : undefined;
}

/** They differ only in user or password, which are not shown. */
function severalText(lists: readonly { readonly id: number; readonly address: string }[]): string {
  const ids = lists.map(({ id }) => id).join(', ');
  const address = lists[0]?.address ?? '';
  return `${lists.length} lists have the address ${address}. Use the id instead: ${ids}.`;
}

function ambiguous(address: string): string {
  const both = (['block', 'allow'] as const).map((type) => article(listSubject(type, address)));
  return `There is ${both.join(' and ')}. Say which one: --block or --allow.`;
}
