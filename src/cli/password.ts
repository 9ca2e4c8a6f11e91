// `sluice password`: sets the password through the running service, or removes it.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { withExamples } from './options.ts';
import type { Terminal } from './terminal.ts';

export const registerPassword = (program: Command, context: CommandContext): void => {
  const password = program
    .command('password')
    .description(
      'set the password of the API and the web interface (asks twice, or reads one line from the input)',
    );
  withExamples(password, 'sluice password', 'sluice password < file-with-the-password')
    .option('--remove', 'remove it: nothing requires authentication any more')
    .action(async ({ remove }: { remove?: true }) =>
      context.end(await changePassword(context, remove ?? false)),
    );
};

const changePassword = async ({ call, terminal }: Talk, remove: boolean): Promise<ExitCode> => {
  const password = remove ? '' : await readPassword(terminal);
  if (password === undefined) return exitCodes.failed;
  const reply = await call('patchConfig', { body: { config: { auth: { password } } } });
  if (!reply.ok) return refuse(terminal, 'The password was not changed', reply);
  terminal.print(
    remove ? 'The password was removed: nothing requires authentication now.' : 'The password was changed.',
  );
  return exitCodes.ok;
};

const readPassword = async (terminal: Terminal): Promise<string | undefined> => {
  const isPerson = process.stdin.isTTY;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isPerson });
  try {
    if (!isPerson) return notEmpty((await lines[Symbol.asyncIterator]().next()).value ?? '', terminal);
    terminal.error('New password:');
    const first = await lines.question('');
    terminal.error('The same again:');
    if ((await lines.question('')) === first) return notEmpty(first, terminal);
    terminal.error('The two differ; nothing was changed.');
    return undefined;
  } finally {
    lines.close();
  }
};

const notEmpty = (password: string, terminal: Terminal): string | undefined => {
  if (password !== '') return password;
  terminal.error('An empty password was given; nothing was changed. To have none, use --remove.');
  return undefined;
};
