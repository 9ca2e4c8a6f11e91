// `sluice lists copies`, `use` and `accept`: the stored copies of a list, the way back to one of them, and
// the word that a change which is held is meant.

import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import { printable } from '../printable.ts';
import type { Columns } from '../table.ts';
import { findListType } from './find.ts';
import { listSubject, type TypeOptions } from './place.ts';

type Copy = ReplyBody<'getListCopies', 200>['copies'][number];

const columns: Columns<Copy> = {
  version: ({ version }) => String(version),
  fetched: ({ date_fetched }) => dateText(date_fetched),
  bytes: ({ bytes }) => String(bytes),
  entries: ({ number }) => String(number),
  duplicates: ({ duplicates }) => (duplicates === null ? '' : String(duplicates)),
  skipped: ({ skipped }) => String(skipped),
  invalid: ({ invalid_domains }) => String(invalid_domains),
  'in force': ({ in_force }) => yesNo(in_force),
};

export const listCopies = async (
  { call, terminal }: Talk,
  address: string,
  options: TypeOptions & ShowOptions,
): Promise<ExitCode> => {
  const found = await findListType(call, address, options);
  if (!found.ok) return failed(terminal, found.problem);
  const reply = await call('getListCopies', { params: { list: address }, query: { type: found.type } });
  if (!reply.ok) return refuse(terminal, 'The copies were not listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const { copies, held } = reply.body;
  if (held !== null) terminal.error(printable(held.text));
  const shown = showList(terminal, {
    items: copies,
    columns,
    empty: 'There are no copies: it was never fetched.',
  });
  for (const { line, text, reason } of copies.find(({ in_force }) => in_force)?.samples ?? [])
    terminal.print(printable(`Line ${line} is no rule: ${text} (${reason})`));
  return shown;
};

export const useCopy = async (
  { call, terminal }: Talk,
  address: string,
  version: number,
  options: TypeOptions,
): Promise<ExitCode> => {
  const found = await findListType(call, address, options);
  if (!found.ok) return failed(terminal, found.problem);
  const { type } = found;
  const reply = await call('useListCopy', { params: { list: address, version }, query: { type } });
  if (!reply.ok) return refuse(terminal, `Copy ${version} is not in force`, reply);
  terminal.print(`Copy ${version} is in force until the list changes again.`);
  return exitCodes.ok;
};

export const acceptLists = (
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: TypeOptions,
): Promise<ExitCode> =>
  forEach(terminal, addresses, async (address) => {
    const found = await findListType(call, address, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const { type } = found;
    const reply = await call('acceptList', { params: { list: address }, query: { type } });
    const subject = listSubject(type, address);
    if (!reply.ok && reply.status === 404)
      return { ok: false, text: `No change of ${address} is held; there is nothing to accept.` };
    return outcomeOf(subject, 'accepted', reply);
  });

const failed = (terminal: Talk['terminal'], problem: string): ExitCode => {
  terminal.error(problem);
  return exitCodes.failed;
};
