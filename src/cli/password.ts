// `sluice password`: sets the password through the running service, or removes it.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { controlClient } from './control.ts';
import type { Terminal } from './terminal.ts';

export const changePassword = async (
  dataDir: string,
  remove: boolean,
  terminal: Terminal,
): Promise<ExitCode> => {
  const password = remove ? '' : await readPassword(terminal);
  if (password === undefined) return exitCodes.failed;
  const reply = await controlClient(dataDir)('patchConfig', { body: { config: { auth: { password } } } });
  if (!reply.ok) {
    const detail = typeof reply.hint === 'string' ? ` (${reply.hint})` : '';
    terminal.error(`The password was not changed: ${reply.message}${detail}`);
    return exitCodes.failed;
  }
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
