// The commands that each kind of entity has: list, add, set and remove. A noun is a row of texts, options and
// calls of the API; what is special for a kind is in its folder. Several items are sent one by one, so that a
// wrong one does not affect the others.

import type { Command, Option } from 'commander';
import { entities } from '#contract';
import type { CommandContext, Talk } from './context.ts';
import type { ControlClient } from './control.ts';
import { forEach, outcomeOf, type Outcome, type Reply } from './each.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { fail, refuse, type Refusal } from './failure.ts';
import { groupIds, groupsById } from './groups/lookup.ts';
import { showJson, showList, type ShowOptions } from './listing.ts';
import { defaultCommand, jsonOption, withExamples, withOptions } from './options.ts';
import { patchOf } from './patch.ts';
import type { Subject } from './subject.ts';
import type { Columns } from './table.ts';

/** The options of all commands of a noun; each command has some of them. */
export interface NounOptions extends ShowOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  readonly disabled?: true;
  readonly enable?: true;
  readonly disable?: true;
}

interface CommandText {
  readonly description: string;
  readonly examples: readonly string[];
  readonly options?: readonly Option[];
}

/** An item of the API, or why there is none. */
type Found<Key> = { readonly ok: true; readonly key: Key } | { readonly ok: false; readonly problem: string };

/** `Key` is what the API calls an item. */
export interface Noun<Item, Key, Options extends NounOptions> {
  readonly name: keyof typeof entities;
  readonly description: string;
  readonly examples: readonly string[];
  readonly list: CommandText & {
    readonly read: (call: ControlClient, options: Options) => Promise<Listed<Item>>;
    readonly columns: Columns<Item> | ((groupNames: ReadonlyMap<number, string>) => Columns<Item>);
    readonly empty: (options: Options) => string;
  };
  readonly add: CommandText & {
    readonly create: (talk: Talk, key: Key, options: Options, groups: Groups) => Promise<Reply>;
  };
  readonly set: CommandText & {
    readonly isForOne?: true;
    /** The fields in addition to comment, groups and enabled. */
    readonly fields?: (options: Options, nowMs: number) => Readonly<Record<string, unknown>>;
    /** The options, in a sentence. */
    readonly choice: string;
    readonly patch: (
      call: ControlClient,
      key: Key,
      body: Record<string, unknown>,
      options: Options,
    ) => Promise<Reply>;
  };
  readonly remove: CommandText & {
    readonly delete: (call: ControlClient, key: Key) => Promise<Reply>;
    /** Why the item must stay, or a note for the user. */
    readonly check?: (call: ControlClient, key: Key, options: Options) => Promise<RemovalCheck>;
  };
  /** Options that contradict each other, for `add` and `set`. */
  readonly wrongOptions?: (options: Options) => string | undefined;
  /** The key of a new item. */
  readonly keyOf: (text: string, options: Options) => Key;
  /** The existing item that a user means; by default the one with the key of a new item. */
  readonly find?: (call: ControlClient, text: string, options: Options) => Promise<Found<Key>>;
  /** For sentences; by default `group "x"`. */
  readonly subjectOf?: (key: Key, text: string) => Subject;
}

export type RemovalCheck =
  | { readonly ok: true; readonly note: string }
  | { readonly ok: false; readonly problem: string };

type Listed<Item> =
  | { readonly ok: true; readonly body: object; readonly items: readonly Item[] }
  | ({ readonly ok: false } & Refusal);

/** The ids of the groups in the options, as a field of a request. */
type Groups = { readonly groups?: number[] };

export function registerNoun<Item, Key, Options extends NounOptions>(
  program: Command,
  { call, terminal, end }: CommandContext,
  noun: Noun<Item, Key, Options>,
): Command {
  const talk = { call, terminal };
  const { add, set, remove } = noun;
  const argument = `${entities[noun.name].name}...`;
  const parent = program.command(noun.name).description(noun.description);
  withExamples(parent, ...noun.examples);
  const list = withText(defaultCommand(parent, 'list'), noun.list).addOption(jsonOption());
  list.action(async (options: Options) => end(await listItems(talk, noun, options)));
  withText(parent.command(`add <${argument}>`), add).action(async (texts: string[], options: Options) =>
    end(await addItems(talk, noun, texts, options)),
  );
  withText(parent.command(`set <${set.isForOne ? entities[noun.name].name : argument}>`), set).action(
    async (texts: string | string[], options: Options) =>
      end(await setItems(talk, noun, [texts].flat(), options)),
  );
  withText(parent.command(`remove <${argument}>`), remove).action(async (texts: string[], options: Options) =>
    end(await removeItems(talk, noun, texts, options)),
  );
  return parent;
}

function withText(command: Command, { description, examples, options = [] }: CommandText): Command {
  withExamples(command.description(description), ...examples);
  return withOptions(command, options);
}

async function listItems<Item, Key, Options extends NounOptions>(
  { call, terminal }: Talk,
  { name, list: { read, columns, empty } }: Noun<Item, Key, Options>,
  options: Options,
): Promise<ExitCode> {
  const reply = await read(call, options);
  if (!reply.ok) return refuse(terminal, `The ${name} cannot be listed`, reply);
  if (options.json === true) return showJson(terminal, reply.body);
  if (typeof columns !== 'function')
    return showList(terminal, { items: reply.items, columns, empty: empty(options) });
  const groups = await groupsById(call);
  if (!groups.ok) return fail(terminal, groups.problem);
  return showList(terminal, { items: reply.items, columns: columns(groups.value), empty: empty(options) });
}

async function addItems<Item, Key, Options extends NounOptions>(
  talk: Talk,
  noun: Noun<Item, Key, Options>,
  texts: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const wrong = noun.wrongOptions?.(options);
  if (wrong !== undefined) return wrongUsage(talk, wrong);
  const groups = await groupIds(talk.call, options.group);
  if (!groups.ok) return fail(talk.terminal, groups.problem);
  const sent = groups.value === undefined ? {} : { groups: groups.value };
  return forEach(talk.terminal, texts, async (text) => {
    const key = noun.keyOf(text, options);
    const reply = await noun.add.create(talk, key, options, sent);
    return outcomeOf(subjectOf(noun, key, text), 'added', reply);
  });
}

/** Fields without an option keep their value: the body is a JSON Merge Patch (RFC 7396). */
async function setItems<Item, Key, Options extends NounOptions>(
  { call, terminal }: Talk,
  noun: Noun<Item, Key, Options>,
  texts: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const { fields, choice, patch } = noun.set;
  const wrong = noun.wrongOptions?.(options);
  if (wrong !== undefined) return wrongUsage({ terminal }, wrong);
  const groups = await groupIds(call, options.group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const { comment, enable, disable } = options;
  const more = fields?.(options, terminal.nowMs());
  const body = patchOf({ comment, enable, disable, groups: groups.value, ...more });
  if (body === undefined) return wrongUsage({ terminal }, `Say what to change: ${choice}.`);
  return forEach(terminal, texts, (text) =>
    changeItem(call, noun, text, options, 'changed', (key) => patch(call, key, body, options)),
  );
}

function removeItems<Item, Key, Options extends NounOptions>(
  { call, terminal }: Talk,
  noun: Noun<Item, Key, Options>,
  texts: readonly string[],
  options: Options,
): Promise<ExitCode> {
  return forEach(terminal, texts, async (text) => {
    const checked = await noun.remove.check?.(call, noun.keyOf(text, options), options);
    if (checked?.ok === false) return { ok: false, text: checked.problem };
    const removed = await changeItem(call, noun, text, options, 'removed', (key) =>
      noun.remove.delete(call, key),
    );
    return removed.ok ? { ...removed, text: removed.text + (checked?.note ?? '') } : removed;
  });
}

function wrongUsage({ terminal }: Pick<Talk, 'terminal'>, problem: string): ExitCode {
  terminal.error(problem);
  return exitCodes.usage;
}

async function changeItem<Item, Key, Options extends NounOptions>(
  call: ControlClient,
  noun: Noun<Item, Key, Options>,
  text: string,
  options: Options,
  done: string,
  change: (key: Key) => Promise<Reply>,
): Promise<Outcome> {
  const key = noun.keyOf(text, options);
  const found = noun.find === undefined ? { ok: true as const, key } : await noun.find(call, text, options);
  if (!found.ok) return { ok: false, text: found.problem };
  return outcomeOf(subjectOf(noun, found.key, text), done, await change(found.key));
}

function subjectOf<Item, Key, Options extends NounOptions>(
  noun: Noun<Item, Key, Options>,
  key: Key,
  text: string,
): Subject {
  return noun.subjectOf?.(key, text) ?? { thing: entities[noun.name].entity, name: text };
}
