// `sluice lists`: lists, adds, changes and removes subscriptions. Several are sent one by one, so that a
// wrong one does not affect the others. Updates and stored copies are in copies.ts.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import { forEach, outcomeOf, type Outcome } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { fail, refuse } from '../failure.ts';
import { groupIds, groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  enableOptions,
  groupOption,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { patchOf } from '../patch.ts';
import type { Columns } from '../table.ts';
import { registerCopies } from './copies.ts';
import { findListType, listSubject, typeOf, typeOptions, type TypeOptions } from './type.ts';
import { registerUpdate } from './update.ts';

const example = 'https://lists.example.com/hosts.txt';

export function registerLists(program: Command, context: CommandContext): void {
  const lists = program.command('lists').description('lists of domains that you subscribe to');
  withExamples(lists, 'sluice lists', `sluice lists add ${example}`);
  registerList(lists, context);
  registerAdd(lists, context);
  registerSet(lists, context);
  registerRemove(lists, context);
  registerUpdate(lists, context);
  registerCopies(lists, context);
}

function registerList(lists: Command, context: CommandContext): void {
  const list = defaultCommand(lists, 'list').description('list subscriptions (the default)');
  withExamples(list, 'sluice lists list --allow', 'sluice lists list --json');
  withOptions(list, [...typeOptions(), jsonOption()]).action(async (options: TypeOptions & ShowOptions) =>
    context.end(await listLists(context, options)),
  );
}

async function listLists({ call, terminal }: Talk, options: TypeOptions & ShowOptions): Promise<ExitCode> {
  const type = typeOf(options);
  const reply = await call('getLists', type === undefined ? {} : { query: { type } });
  if (!reply.ok) return refuse(terminal, 'The lists cannot be listed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) return fail(terminal, groups.problem);
  const empty =
    type === undefined
      ? 'There are no lists; `sluice lists add` adds one.'
      : 'There are no such lists; `sluice lists` lists all.';
  return showList(terminal, { items: reply.body.lists, columns: columnsWith(groups.value), empty });
}

type List = ReplyBody<'getLists', 200>['lists'][number];

const states: readonly string[] = [
  'not yet',
  'downloaded',
  'unchanged',
  'unavailable, older copy',
  'unavailable',
];

function columnsWith(groupNames: ReadonlyMap<number, string>): Columns<List> {
  return {
    address: ({ address }) => address,
    type: ({ type }) => type,
    enabled: ({ enabled }) => yesNo(enabled),
    entries: ({ number }) => String(number),
    changed: ({ date_updated }) => (date_updated === 0 ? 'never' : dateText(date_updated)),
    update: ({ status, held }) => (held ? 'held: see copies' : (states[status] ?? String(status))),
    groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
    comment: ({ comment }) => comment ?? '',
  };
}

interface AddOptions extends TypeOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly disabled?: true;
}

function registerAdd(lists: Command, context: CommandContext): void {
  const add = lists.command('add <address...>').description('subscribe to lists: https, http or file URLs');
  withExamples(add, `sluice lists add ${example}`, `sluice lists add --allow ${example} --group Children`);
  withOptions(add, [
    new Option('--block', 'block the names in them (the default)').conflicts('allow'),
    new Option('--allow', 'never block the names in them'),
    commentOption(),
    groupOption('only for this group, not for the default group'),
    new Option('--disabled', 'add it disabled'),
  ]).action(async (addresses: string[], options: AddOptions) =>
    context.end(await addLists(context, addresses, options)),
  );
}

async function addLists(
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: AddOptions,
): Promise<ExitCode> {
  const groups = await groupIds(call, options.group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const type = typeOf(options) ?? 'block';
  const fields = {
    comment: options.comment ?? '',
    enabled: options.disabled !== true,
    ...(groups.value === undefined ? {} : { groups: groups.value }),
  };
  return forEach(terminal, addresses, async (address) => {
    const reply = await call('createLists', { query: { type }, body: { address, ...fields } });
    return outcomeOf(listSubject(type, address), 'added', reply);
  });
}

interface SetOptions extends TypeOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly enable?: true;
  readonly disable?: true;
}

function registerSet(lists: Command, context: CommandContext): void {
  const set = lists.command('set <address...>').description('change subscriptions');
  withExamples(set, `sluice lists set ${example} --disable`, `sluice lists set ${example} --group Children`);
  withOptions(set, [
    ...typeOptions(),
    commentOption(),
    groupOption('move it into this group'),
    ...enableOptions(),
  ]).action(async (addresses: string[], options: SetOptions) =>
    context.end(await setLists(context, addresses, options)),
  );
}

/** Fields without an option keep their value: the body is a JSON Merge Patch (RFC 7396). */
async function setLists(talk: Talk, addresses: readonly string[], options: SetOptions): Promise<ExitCode> {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const { comment, enable, disable } = options;
  const patch = patchOf({ comment, enable, disable, groups: groups.value });
  if (patch === undefined) {
    terminal.error('Say what to change: --comment, --group, --enable or --disable.');
    return exitCodes.usage;
  }
  return forEach(terminal, addresses, (address) => setList(talk, address, options, patch));
}

async function setList(
  { call }: Talk,
  address: string,
  options: TypeOptions,
  body: Record<string, unknown>,
): Promise<Outcome> {
  const found = await findListType(call, address, options);
  if (!found.ok) return { ok: false, text: found.problem };
  const { type } = found;
  const reply = await call('patchList', { params: { list: address }, query: { type }, body });
  return outcomeOf(listSubject(type, address), 'changed', reply);
}

function registerRemove(lists: Command, context: CommandContext): void {
  const remove = lists.command('remove <address...>').description('remove subscriptions');
  withExamples(remove, `sluice lists remove ${example}`);
  withOptions(remove, typeOptions()).action(async (addresses: string[], options: TypeOptions) =>
    context.end(await removeLists(context, addresses, options)),
  );
}

function removeLists(
  { call, terminal }: Talk,
  addresses: readonly string[],
  options: TypeOptions,
): Promise<ExitCode> {
  return forEach(terminal, addresses, async (address) => {
    const found = await findListType(call, address, options);
    if (!found.ok) return { ok: false, text: found.problem };
    const { type } = found;
    const reply = await call('deleteList', { params: { list: address }, query: { type } });
    return outcomeOf(listSubject(type, address), 'removed', reply);
  });
}
