// Many command lines in one process: a process for each would cost a third of a second of one core, and
// tests have hundreds of them. This file is also the program that runs there. It calls what src/cli/main.ts
// calls, with the arguments and the data folder of the order, and gives back the exit code and what was
// printed. That the launcher comes to the same is tested with `runCommand`.

import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { atEnd, forgettable } from './leftovers.ts';
import { root, type CommandResult, type Environment } from './program.ts';
import { within } from './waiting.ts';

type Order = { readonly args: readonly string[]; readonly dir: string; readonly env?: Environment };

export type CommandLine = {
  /** Runs a command of the program on a data folder. */
  readonly run: (dir: string, ...args: readonly string[]) => Promise<CommandResult>;
  /** The same with variables on top of a minimal environment; undefined takes one away. */
  readonly runWith: (env: Environment, dir: string, ...args: readonly string[]) => Promise<CommandResult>;
};

const commandMaxMs = 60_000;

export function openCommandLine(): CommandLine {
  const child = forgettable(
    fork(import.meta.filename, {
      // JSON would lose what is undefined.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  // The channel too must not keep the test file from ending.
  child.channel?.unref();
  atEnd(() => child.kill('SIGKILL'));
  // What a command prints is gathered for the whole process, so one runs after the other.
  let last: Promise<unknown> = Promise.resolve();
  const runOne = async (order: Order): Promise<CommandResult> => {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    child.once('message', resolve);
    child.send(order);
    return within(`sluice ${order.args.join(' ')} ends`, commandMaxMs, promise);
  };
  const runWith: CommandLine['runWith'] = (env, dir, ...args) => {
    const result = last.then(() => runOne({ args, dir, env }));
    last = result.catch(() => undefined);
    return result;
  };
  return { runWith, run: (dir, ...args) => runWith({}, dir, ...args) };
}

async function carryOut({ args, dir, env: added = {} }: Order): Promise<CommandResult> {
  const [{ run }, { locate }] = await Promise.all([loadCommands(), import('#service')]);
  // A settings file is looked for in the working folder.
  process.chdir(dir);
  const env = { PATH: process.env['PATH'], HOME: dir, SLUICE_STORAGE_DIR: dir, ...added };
  const located = locate(undefined, env);
  const printed = gather();
  try {
    const argv = ['node', 'sluice', ...args];
    const code = await run({ argv, env, located, compileCacheDir: dir });
    return { code, ...printed.texts };
  } finally {
    printed.end();
  }
}

/** What src/cli/program.ts exports. */
type Commands = { readonly run: (options: Readonly<Record<string, unknown>>) => Promise<number> };

/** Of the built program where `npm test` has named one, else of the sources. */
function loadCommands(): Promise<Commands> {
  const launcher = process.env['SLUICE_TEST_PROGRAM'];
  const path =
    launcher === undefined
      ? join(root, 'src', 'cli', 'program.ts')
      : join(dirname(launcher), '..', 'dist', 'program.js');
  return import(pathToFileURL(path).href);
}

/** Keeps what the process prints until the end. */
function gather(): { readonly texts: { out: string; err: string }; readonly end: () => void } {
  const texts = { out: '', err: '' };
  const [out, err] = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)];
  process.stdout.write = (chunk: string | Uint8Array) => {
    texts.out += String(chunk);
    return true;
  };
  process.stderr.write = (chunk: string | Uint8Array) => {
    texts.err += String(chunk);
    return true;
  };
  return {
    texts,
    end: () => {
      process.stdout.write = out;
      process.stderr.write = err;
    },
  };
}

if (import.meta.main)
  process.on('message', (order: Order) => {
    void carryOut(order).then((result) => process.send?.(result));
  });
