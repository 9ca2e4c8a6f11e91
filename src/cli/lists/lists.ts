// `sluice lists`: subscriptions. Updates and stored copies are in update.ts and copies.ts.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, groupsText, yesNo } from '../cells.ts';
import type { CommandContext } from '../context.ts';
import { registerNoun, type Noun, type NounOptions } from '../noun.ts';
import { commentOption, disabledOption, enableOptions, groupOption } from '../options.ts';
import { registerCopies } from './copies.ts';
import { findListType, listSubject, typeOf, typeOptions, type ListType, type TypeOptions } from './type.ts';
import { registerUpdate } from './update.ts';

type List = ReplyBody<'getLists', 200>['lists'][number];

interface Key {
  readonly params: { readonly list: string };
  readonly query: { readonly type: ListType };
}

const example = 'https://lists.example.com/hosts.txt';

export function registerLists(program: Command, context: CommandContext): void {
  const parent = registerNoun(program, context, noun);
  registerUpdate(parent, context);
  registerCopies(parent, context);
}

const states: readonly string[] = [
  'not yet',
  'downloaded',
  'unchanged',
  'unavailable, older copy',
  'unavailable',
];

const noun: Noun<List, Key, NounOptions & TypeOptions> = {
  name: 'lists',
  description: 'lists of domains that you subscribe to',
  examples: ['sluice lists', `sluice lists add ${example}`],
  list: {
    description: 'list subscriptions (the default)',
    examples: ['sluice lists list --allow', 'sluice lists list --json'],
    options: typeOptions(),
    read: async (call, options) => {
      const type = typeOf(options);
      const reply = await call('getLists', type === undefined ? {} : { query: { type } });
      return reply.ok ? { ...reply, items: reply.body.lists } : reply;
    },
    columns: (groupNames) => ({
      address: ({ address }) => address,
      type: ({ type }) => type,
      enabled: ({ enabled }) => yesNo(enabled),
      entries: ({ number }) => String(number),
      changed: ({ date_updated }) => (date_updated === 0 ? 'never' : dateText(date_updated)),
      update: ({ status, held }) => (held ? 'held: see copies' : (states[status] ?? String(status))),
      groups: groupsText(groupNames),
      comment: ({ comment }) => comment ?? '',
    }),
    empty: (options) =>
      typeOf(options) === undefined
        ? 'There are no lists; `sluice lists add` adds one.'
        : 'There are no such lists; `sluice lists` lists all.',
  },
  add: {
    description: 'subscribe to lists: https, http or file URLs',
    examples: [`sluice lists add ${example}`, `sluice lists add --allow ${example} --group Children`],
    options: [
      new Option('--block', 'block the names in them (the default)').conflicts('allow'),
      new Option('--allow', 'never block the names in them'),
      commentOption(),
      groupOption('only for this group, not for the default group'),
      disabledOption(),
    ],
    create: ({ call }, { params, query }, { comment = '', disabled = false }, groups) =>
      call('createLists', { query, body: { address: params.list, comment, enabled: !disabled, ...groups } }),
  },
  set: {
    description: 'change subscriptions',
    examples: [`sluice lists set ${example} --disable`, `sluice lists set ${example} --group Children`],
    options: [...typeOptions(), commentOption(), groupOption('move it into this group'), ...enableOptions()],
    choice: '--comment, --group, --enable or --disable',
    patch: (call, key, body) => call('patchList', { ...key, body }),
  },
  remove: {
    description: 'remove subscriptions',
    examples: [`sluice lists remove ${example}`],
    options: typeOptions(),
    delete: (call, key) => call('deleteList', key),
  },
  keyOf: (address, options) => keyOf(address, typeOf(options) ?? 'block'),
  find: async (call, address, options) => {
    const found = await findListType(call, address, options);
    return found.ok ? { ok: true, key: keyOf(address, found.type) } : found;
  },
  subjectOf: ({ query }, address) => listSubject(query.type, address),
};

function keyOf(list: string, type: ListType): Key {
  return { params: { list }, query: { type } };
}
