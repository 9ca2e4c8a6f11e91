// Which list a person means by an address: there may be one that blocks and one that allows, so the service
// is asked for both unless the options say which.

import type { ControlClient } from '../control.ts';
import { refusalText } from '../failure.ts';
import { article, named } from '../subject.ts';
import { listSubject, typeOf, type ListType, type TypeOptions } from './place.ts';

type Found =
  | { readonly ok: true; readonly type: ListType }
  | { readonly ok: false; readonly problem: string };

export const findListType = async (
  call: ControlClient,
  address: string,
  options: TypeOptions,
): Promise<Found> => {
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
};

const absentText = (status: number, subject: string): string | undefined =>
  status === 404 ? `There is no ${subject}; \`sluice lists\` lists what there is.` : undefined;

/** They differ in user or password, which addresses are shown without. */
function severalText(lists: readonly { readonly id: number; readonly address: string }[]): string {
  const ids = lists.map(({ id }) => id).join(', ');
  const address = lists[0]?.address ?? '';
  return `${lists.length} lists have the address ${address}. Use the id of one in place of it: ${ids}.`;
}

const ambiguous = (address: string): string => {
  const both = (['block', 'allow'] as const).map((type) => article(listSubject(type, address)));
  return `There is ${both.join(' and ')}. Say which one: --block or --allow.`;
};
