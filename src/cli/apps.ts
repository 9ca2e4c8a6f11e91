// `sluice apps`: application passwords. A new one is shown once, and alone on stdout, so that a script can
// take it from there; what it is goes to stderr.

import type { Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateOrNever, dateText, yesNo } from './cells.ts';
import type { CommandContext, Talk } from './context.ts';
import { forEach, outcomeOf } from './each.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse, refusalText } from './failure.ts';
import { showJson, showList, type ShowOptions } from './listing.ts';
import { defaultCommand, jsonOption, readIds, withExamples } from './options.ts';
import { quoted } from './printable.ts';
import type { Columns } from './table.ts';

export const registerApps = (program: Command, context: CommandContext): void => {
  const apps = program.command('apps').description('application passwords, for scripts and dashboards');
  withExamples(apps, 'sluice apps', 'sluice apps add Dashboard', 'sluice apps remove 2');
  const list = defaultCommand(apps, 'list').description('list all of them (the default)');
  withExamples(list, 'sluice apps list', 'sluice apps list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listApps(context, options)));
  const add = apps.command('add <name>').description('make one; it is printed once, alone on the output');
  withExamples(add, 'sluice apps add Dashboard', 'PASSWORD=$(sluice apps add "Nightly script" --sudo)')
    .option('--sudo', 'it may change credentials and settings, restart and forget the history too')
    .action(async (name: string, options: AddOptions) => context.end(await addApp(context, name, options)));
  const remove = apps.command('remove').description('remove them; their sessions end');
  withExamples(remove, 'sluice apps remove 2', 'sluice apps remove 2 5')
    .argument('<id...>', 'as the list shows it', readIds)
    .action(async (ids: number[]) => context.end(await removeApps(context, ids)));
};

type App = ReplyBody<'getApps', 200>['apps'][number];

const columns: Columns<App> = {
  id: ({ id }) => String(id),
  name: ({ name }) => name,
  sudo: ({ sudo }) => yesNo(sudo),
  created: ({ created }) => dateText(created),
  'last used': ({ last_used }) => dateOrNever(last_used),
};

const listApps = async ({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> => {
  const reply = await call('getApps');
  if (!reply.ok) return refuse(terminal, 'The application passwords were not listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const empty = 'There are no application passwords; `sluice apps add` makes one.';
  return showList(terminal, { items: reply.body.apps, columns, empty });
};

interface AddOptions {
  readonly sudo?: boolean;
}

const thing = 'application password';

const addApp = async (
  { call, terminal }: Talk,
  name: string,
  { sudo = false }: AddOptions,
): Promise<ExitCode> => {
  const reply = await call('createApp', { body: { name, sudo } });
  if (!reply.ok) {
    terminal.error(refusalText({ thing, name }, 'made', reply));
    return exitCodes.failed;
  }
  const { id, password } = reply.body.app;
  terminal.error(`Application password ${id} for ${quoted(name)}, shown only now:`);
  terminal.print(password);
  return exitCodes.ok;
};

const removeApps = ({ call, terminal }: Talk, ids: readonly number[]): Promise<ExitCode> =>
  forEach(terminal, ids, async (id) =>
    outcomeOf({ thing, name: id }, 'removed', await call('deleteApp', { params: { id } })),
  );
