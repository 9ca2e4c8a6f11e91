// `sluice changes`: who changed what, and the way back. A line for each item that was changed; the lines of
// one change have the same number, and an undo takes that number and undoes all of them.

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText } from './cells.ts';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { reasonOf, refuse } from './failure.ts';
import { showJson, showList, type ShowOptions } from './listing.ts';
import { defaultCommand, jsonOption, withExamples } from './options.ts';
import type { Columns } from './table.ts';

interface ListOptions extends ShowOptions {
  readonly count: number;
}

export const registerChanges = (program: Command, context: CommandContext): void => {
  const changes = program.command('changes').description('who changed what, and the way back');
  withExamples(changes, 'sluice changes', 'sluice changes undo 17');
  const list = defaultCommand(changes, 'list').description('list changes, the newest first (the default)');
  withExamples(list, 'sluice changes list', 'sluice changes list --count 200', 'sluice changes list --json')
    .addOption(countOption())
    .addOption(jsonOption())
    .action(async (options: ListOptions) => context.end(await listChanges(context, options)));
  const undo = changes.command('undo').description('undo all that a change did, or nothing of it');
  withExamples(undo, 'sluice changes undo 17')
    .argument('<version>', 'as the list shows it', readVersion)
    .action(async (version: number) => context.end(await undoChange(context, version)));
};

const countOption = (): Option =>
  new Option('--count <number>', 'how many lines, up to 1000').default(20).argParser((text: string) => {
    if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 1000)
      throw new InvalidArgumentError('It is a number from 1 to 1000.');
    return Number(text);
  });

const readVersion = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError('A version is a whole number; the list shows it.');
  return Number(text);
};

type Revision = ReplyBody<'getRevisions', 200>['revisions'][number];

const columns: Columns<Revision> = {
  version: ({ version }) => String(version),
  at: ({ at }) => dateText(at),
  by: ({ actor }) => actor,
  change: (revision) => revision.restore_point?.summary ?? itemText(revision),
};

const nameFields = ['name', 'domain', 'address', 'client'];

/** `domain ads.example added`; settings and what has no name are known by their key. */
function itemText({ entity, key, before, after }: Revision): string {
  const fields = new Map(Object.entries(Object(after ?? before)));
  const name = nameFields.map((field) => fields.get(field)).find((value) => typeof value === 'string');
  const done = before === null ? 'added' : after === null ? 'removed' : 'changed';
  return `${entity} ${name ?? key} ${done}`;
}

async function listChanges({ call, terminal }: Talk, { count, json }: ListOptions): Promise<ExitCode> {
  const reply = await call('getRevisions', { query: { count } });
  if (!reply.ok) return refuse(terminal, 'The changes were not listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  return showList(terminal, { items: reply.body.revisions, columns, empty: 'Nothing has been changed.' });
}

async function undoChange({ call, terminal }: Talk, version: number): Promise<ExitCode> {
  const reply = await call('undoChange', { params: { version } });
  if (!reply.ok) {
    const isMissing = reply.status === 404;
    terminal.error(
      isMissing ? `There is no change ${version}.` : `Change ${version} was not undone: ${reasonOf(reply)}`,
    );
    return exitCodes.failed;
  }
  const { summary, version: made } = reply.body;
  terminal.print(`Change ${version} was undone: ${summary}. That is change ${made}.`);
  return exitCodes.ok;
}
