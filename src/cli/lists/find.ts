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
  return others.length === 0 ? { ok: true, type: list.type } : { ok: false, problem: ambiguous(address) };
};

const absentText = (status: number, subject: string): string | undefined =>
  status === 404 ? `There is no ${subject}; \`sluice lists\` lists what there is.` : undefined;

const ambiguous = (address: string): string => {
  const both = (['block', 'allow'] as const).map((type) => article(listSubject(type, address)));
  return `There is ${both.join(' and ')}. Say which one: --block or --allow.`;
};
