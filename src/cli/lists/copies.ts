// `sluice lists copies`, `use` and `accept`: shows the stored copies of a list, switches to one of them, and
// accepts a change that is held because it is suspiciously large.

import { InvalidArgumentError, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { fail, refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { printable } from '../printable.ts';
import type { Columns } from '../table.ts';
import { findListType, listSubject, typeOptions, type TypeOptions } from './type.ts';

const example = 'https://lists.example.com/hosts.txt';

export function registerCopies(lists: Command, context: CommandContext): void {
  const copies = lists.command('copies <address>').description('list the stored copies of a list');
  withExamples(copies, `sluice lists copies ${example}`);
  withOptions(copies, [...typeOptions(), jsonOption()]).action(
    async (address: string, options: TypeOptions & ShowOptions) =>
      context.end(await listCopies(context, address, options)),
  );
  const use = lists
    .command('use <address>')
    .description('switch to a stored copy of a list, until a download brings a change')
    .argument('<version>', 'the version that `sluice lists copies` shows', readVersion);
  withExamples(use, `sluice lists use ${example} 12`);
  withOptions(use, typeOptions()).action(async (address: string, version: number, options: TypeOptions) =>
    context.end(await useCopy(context, address, version, options)),
  );
  const accept = lists
    .command('accept <address...>')
    .description('accept a change that is held because it is suspiciously large');
  withExamples(accept, `sluice lists accept ${example}`);
  withOptions(accept, typeOptions()).action(async (addresses: string[], options: TypeOptions) =>
    context.end(await acceptLists(context, addresses, options)),
  );
}

function readVersion(text: string): number {
  if (!/^[1-9]\d{0,14}$/u.test(text))
    throw new InvalidArgumentError('A version is a whole number; `sluice lists copies` shows it.');
  return Number(text);
}

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

async function listCopies(
  { call, terminal }: Talk,
  address: string,
  options: TypeOptions & ShowOptions,
): Promise<ExitCode> {
  const found = await findListType(call, address, options);
  if (!found.ok) return fail(terminal, found.problem);
  const reply = await call('getListCopies', { params: { list: address }, query: { type: found.type } });
  if (!reply.ok) return refuse(terminal, 'The copies cannot be listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const { copies, held } = reply.body;
  if (held !== null) terminal.error(printable(held.text));
  const shown = showList(terminal, {
    items: copies,
    columns,
    empty: 'There are no copies: the list was never downloaded.',
  });
  for (const { line, text, reason } of copies.find(({ in_force }) => in_force)?.samples ?? [])
    terminal.print(printable(`Line ${line} is not a rule: ${text} (${reason})`));
  return shown;
}

async function useCopy(
  { call, terminal }: Talk,
  address: string,
  version: number,
  options: TypeOptions,
): Promise<ExitCode> {
  const found = await findListType(call, address, options);
  if (!found.ok) return fail(terminal, found.problem);
  const { type } = found;
  const reply = await call('useListCopy', { params: { list: address, version }, query: { type } });
  if (!reply.ok) return refuse(terminal, `Copy ${version} is not in force`, reply);
  terminal.print(`Copy ${version} is in force until the list changes again.`);
  return exitCodes.ok;
}

function acceptLists(
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: TypeOptions,
): Promise<ExitCode> {
  return forEach(terminal, addresses, async (address) => {
    const found = await findListType(call, address, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const { type } = found;
    const reply = await call('acceptList', { params: { list: address }, query: { type } });
    if (!reply.ok && reply.status === 404)
      return { ok: false, text: `No change of ${address} is held; there is nothing to accept.` };
    return outcomeOf(listSubject(type, address), 'accepted', reply);
  });
}
