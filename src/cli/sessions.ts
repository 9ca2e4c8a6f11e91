// `sluice sessions`: lists and ends the sessions of logged-in users. The command line has no session, because
// the control socket needs none.

import type { Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, yesNo } from './cells.ts';
import type { CommandContext, Talk } from './context.ts';
import { forEach, outcomeOf } from './each.ts';
import type { ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { showJson, showList, type ShowOptions } from './listing.ts';
import { defaultCommand, jsonOption, readIds, withExamples } from './options.ts';
import type { Columns } from './table.ts';

export function registerSessions(program: Command, context: CommandContext): void {
  const sessions = program.command('sessions').description('sessions of logged-in users and scripts');
  withExamples(sessions, 'sluice sessions', 'sluice sessions end 3');
  const list = defaultCommand(sessions, 'list').description('list all sessions (the default)');
  withExamples(list, 'sluice sessions list', 'sluice sessions list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listSessions(context, options)));
  const end = sessions.command('end').description('end sessions: their users have to log in again');
  withExamples(end, 'sluice sessions end 3', 'sluice sessions end 3 4')
    .argument('<id...>', 'the id that `sluice sessions` shows', readIds)
    .action(async (ids: number[]) => context.end(await endSessions(context, ids)));
}

type Session = ReplyBody<'getSessions', 200>['sessions'][number];

const columns: Columns<Session> = {
  id: ({ id }) => String(id),
  address: ({ remote_addr }) => remote_addr,
  login: ({ login_at }) => dateText(login_at),
  'last used': ({ last_active }) => dateText(last_active),
  'valid until': ({ valid_until }) => dateText(valid_until),
  tls: ({ tls }) => yesNo(tls.login),
  app: ({ app_id }) => (app_id === null ? '' : String(app_id)),
  'user agent': ({ user_agent }) => user_agent ?? '',
};

async function listSessions({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getSessions');
  if (!reply.ok) return refuse(terminal, 'The sessions cannot be listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  return showList(terminal, { items: reply.body.sessions, columns, empty: 'There are no sessions.' });
}

function endSessions({ call, terminal }: Talk, ids: readonly number[]): Promise<ExitCode> {
  return forEach(terminal, ids, async (id) =>
    outcomeOf({ thing: 'session', name: id }, 'ended', await call('deleteSession', { params: { id } })),
  );
}
