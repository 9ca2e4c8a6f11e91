// The program `sluice` as a child process: starts it, collects its output, ends it. Its environment is built
// here from scratch, so that variables of the tester do not reach it. Its working folder is its data folder,
// so that it finds no settings file by accident.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { atEnd, forgettable } from './leftovers.ts';
import { within } from './waiting.ts';

/** Tests use no outside network: lists are downloaded only on a test's request, and only from loopback. */
const offline = { SLUICE_LISTS_UPDATE_HOURS: '0', SLUICE_LISTS_ALLOW_LOCAL: 'true' };

export const root = join(import.meta.dirname, '..', '..');
/**
 * `npm test` builds the program and sets this variable; a test file that runs alone starts the checkout's
 * program.
 */
const launcher = process.env['SLUICE_TEST_PROGRAM'] ?? prepareCheckout();

export type Environment = Readonly<Record<string, string | undefined>>;

export type LaunchOptions = {
  /** The working folder, and the data folder unless the environment names another. */
  readonly dir: string;
  /** Added to a minimal environment; undefined removes a variable. */
  readonly env?: Environment;
  /** A command that runs the program, such as `unshare -n`. */
  readonly wrap?: readonly string[];
  /** Sent to its standard input, which is then closed. */
  readonly input?: string;
};

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Running = {
  readonly pid: number;
  /** Its standard output so far. */
  readonly out: () => string;
  /** Its log (standard error) so far. */
  readonly log: () => string;
  readonly hasEnded: () => boolean;
  readonly ended: Promise<Ended>;
  readonly signal: (signal: NodeJS.Signals) => void;
};

export const launch = (args: readonly string[], options: LaunchOptions): Running => {
  shareCompileCache(options.dir);
  const [program = launcher, ...rest] = [...(options.wrap ?? []), launcher, ...args];
  const child = spawn(program, rest, {
    cwd: options.dir,
    env: environment(options),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  // A program that ends without reading its input is not a failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input);
  return watch(child);
};

/**
 * The launcher. It builds an outdated bundle first, so that no message about a build appears in a test's log.
 */
function prepareCheckout(): string {
  const path = join(root, 'bin', 'sluice');
  const { status, stderr } = spawnSync('sh', [path, '--version'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`bin/sluice does not start: ${stderr}`);
  return path;
}

export const sharedCache = join(root, 'node_modules', '.cache', 'sluice-test');

/** All services share one compile cache: an empty one would cost each service half a second of one core. */
const shareCompileCache = (dir: string): void => {
  const link = join(dir, 'compile-cache');
  if (existsSync(link)) return;
  mkdirSync(sharedCache, { recursive: true });
  symlinkSync(sharedCache, link);
};

const environment = ({ dir, env = {} }: LaunchOptions): Record<string, string> => {
  const all = { PATH: process.env['PATH'], HOME: dir, SLUICE_STORAGE_DIR: dir, ...offline, ...env };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

const watch = (child: ChildProcess): Running => {
  const printed: string[] = [];
  const logged: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => logged.push(text));
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  let ended = false;
  forgettable(child);
  child.on('error', reject);
  child.on('close', (code, signal) => {
    ended = true;
    resolve({ code, signal });
  });
  return {
    pid: child.pid ?? 0,
    out: () => printed.join(''),
    log: () => logged.join(''),
    hasEnded: () => ended,
    ended: promise,
    signal: (signal) => void child.kill(signal),
  };
};

export type CommandResult = { readonly code: number | null; readonly out: string; readonly err: string };

const maxCommandMs = 60_000;

/** Runs a command of the program and waits for its end. */
export const runCommand = async (args: readonly string[], options: LaunchOptions): Promise<CommandResult> => {
  const running = launch(args, options);
  try {
    const { code } = await within(`sluice ${args.join(' ')} ends`, maxCommandMs, running.ended);
    return { code, out: running.out(), err: running.log() };
  } finally {
    running.signal('SIGKILL');
  }
};
