// `sluice password`: sets the password through the running service, or removes it.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { withExamples } from './options.ts';
import type { Terminal } from './terminal.ts';

export function registerPassword(program: Command, context: CommandContext): void {
  const password = program
    .command('password')
    .description(
      'set the password of the API and the web interface (prompts twice, or reads one line from stdin)',
    );
  withExamples(password, 'sluice password', 'sluice password < file-with-the-password')
    .option('--remove', 'remove it: no login is required any more')
    .action(async ({ remove }: { remove?: true }) =>
      context.end(await changePassword(context, remove ?? false)),
    );
}

async function changePassword({ call, terminal }: Talk, remove: boolean): Promise<ExitCode> {
  const password = remove ? '' : await readPassword(terminal);
  if (password === undefined) return exitCodes.failed;
  const reply = await call('patchConfig', { body: { config: { auth: { password } } } });
  if (!reply.ok) return refuse(terminal, 'The password was not changed', reply);
  terminal.print(
    remove ? 'The password was removed: no login is required now.' : 'The password was changed.',
  );
  return exitCodes.ok;
}

async function readPassword(terminal: Terminal): Promise<string | undefined> {
  const isTerminal = process.stdin.isTTY;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    if (!isTerminal) return notEmpty((await lines[Symbol.asyncIterator]().next()).value ?? '', terminal);
    terminal.error('New password:');
    const first = await lines.question('');
    terminal.error('Repeat the password:');
    if ((await lines.question('')) === first) return notEmpty(first, terminal);
    terminal.error('The passwords differ; nothing was changed.');
    return undefined;
  } finally {
    lines.close();
  }
}

function notEmpty(password: string, terminal: Terminal): string | undefined {
  if (password !== '') return password;
  terminal.error('The password is empty; nothing was changed. To remove the password, use --remove.');
  return undefined;
}
