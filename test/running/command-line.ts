// Runs many command lines in one process: a process for each would cost a third of a second of one core, and
// tests have hundreds of them. This file is also the program of that process. It calls the same function as
// src/cli/main.ts, with the arguments and the data folder of each order, and returns the exit code and the
// output. Tests with `runCommand` check that the launcher gives the same results.

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
  /** The same with variables added to a minimal environment; undefined removes one. */
  readonly runWith: (env: Environment, dir: string, ...args: readonly string[]) => Promise<CommandResult>;
};

const maxCommandMs = 60_000;

export function openCommandLine(): CommandLine {
  const child = forgettable(
    fork(import.meta.filename, {
      // JSON would drop properties that are undefined.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  // The IPC channel must not keep the test file alive either.
  child.channel?.unref();
  atEnd(() => child.kill('SIGKILL'));
  // Output is captured for the whole process, so commands run one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const runOne = async (order: Order): Promise<CommandResult> => {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    child.once('message', resolve);
    child.send(order);
    return within(`sluice ${order.args.join(' ')} ends`, maxCommandMs, promise);
  };
  const runWith: CommandLine['runWith'] = (env, dir, ...args) => {
    const result = last.then(() => runOne({ args, dir, env }));
    last = result.catch(() => undefined);
    return result;
  };
  return { runWith, run: (dir, ...args) => runWith({}, dir, ...args) };
}

async function runOrder({ args, dir, env: added = {} }: Order): Promise<CommandResult> {
  const [{ run }, { locate }] = await Promise.all([loadCommands(), import('#service')]);
  // The program searches its settings file in the working folder.
  process.chdir(dir);
  const env = { PATH: process.env['PATH'], HOME: dir, SLUICE_STORAGE_DIR: dir, ...added };
  const located = locate(undefined, env);
  const printed = captureOutput();
  try {
    const argv = ['node', 'sluice', ...args];
    const code = await run({ argv, env, located, compileCacheDir: dir });
    return { code, ...printed.texts };
  } finally {
    printed.end();
  }
}

/** The exports of src/cli/program.ts. */
type Commands = { readonly run: (options: Readonly<Record<string, unknown>>) => Promise<number> };

/** From the built program if `npm test` names one, otherwise from the sources. */
function loadCommands(): Promise<Commands> {
  const launcher = process.env['SLUICE_TEST_PROGRAM'];
  const path =
    launcher === undefined
      ? join(root, 'src', 'cli', 'program.ts')
      : join(dirname(launcher), '..', 'dist', 'program.js');
  return import(pathToFileURL(path).href);
}

/** Captures the output of the process until `end` is called. */
function captureOutput(): { readonly texts: { out: string; err: string }; readonly end: () => void } {
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
    void runOrder(order).then((result) => process.send?.(result));
  });
