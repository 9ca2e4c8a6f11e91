// `sluice apps`: application passwords. A new password is the only text on stdout, so that a script can read
// it; the explanation goes to stderr.

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

export function registerApps(program: Command, context: CommandContext): void {
  const apps = program.command('apps').description('application passwords, for scripts and dashboards');
  withExamples(apps, 'sluice apps', 'sluice apps add Dashboard', 'sluice apps remove 2');
  const list = defaultCommand(apps, 'list').description('list application passwords (the default)');
  withExamples(list, 'sluice apps list', 'sluice apps list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listApps(context, options)));
  const add = apps.command('add <name>').description('create one; it is printed once, alone on stdout');
  withExamples(add, 'sluice apps add Dashboard', 'PASSWORD=$(sluice apps add "Nightly script" --sudo)')
    .option(
      '--sudo',
      'it may also change credentials and settings, restart the service and delete the history',
    )
    .action(async (name: string, options: AddOptions) => context.end(await addApp(context, name, options)));
  const remove = apps.command('remove').description('remove application passwords; their sessions end');
  withExamples(remove, 'sluice apps remove 2', 'sluice apps remove 2 5')
    .argument('<id...>', 'the id that `sluice apps` shows', readIds)
    .action(async (ids: number[]) => context.end(await removeApps(context, ids)));
}

type App = ReplyBody<'getApps', 200>['apps'][number];

const columns: Columns<App> = {
  id: ({ id }) => String(id),
  name: ({ name }) => name,
  sudo: ({ sudo }) => yesNo(sudo),
  created: ({ created }) => dateText(created),
  'last used': ({ last_used }) => dateOrNever(last_used),
};

async function listApps({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getApps');
  if (!reply.ok) return refuse(terminal, 'The application passwords cannot be listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const empty = 'There are no application passwords; `sluice apps add` creates one.';
  return showList(terminal, { items: reply.body.apps, columns, empty });
}

interface AddOptions {
  readonly sudo?: boolean;
}

const thing = 'application password';

async function addApp(
  { call, terminal }: Talk,
  name: string,
  { sudo = false }: AddOptions,
): Promise<ExitCode> {
  const reply = await call('createApp', { body: { name, sudo } });
  if (!reply.ok) {
    terminal.error(refusalText({ thing, name }, 'created', reply));
    return exitCodes.failed;
  }
  const { id, password } = reply.body.app;
  terminal.error(`Application password ${id} for ${quoted(name)}, shown only now:`);
  terminal.print(password);
  return exitCodes.ok;
}

function removeApps({ call, terminal }: Talk, ids: readonly number[]): Promise<ExitCode> {
  return forEach(terminal, ids, async (id) =>
    outcomeOf({ thing, name: id }, 'removed', await call('deleteApp', { params: { id } })),
  );
}
