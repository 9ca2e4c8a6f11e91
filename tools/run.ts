// Runs a program and collects its output. node_modules/.bin is first in its PATH, so that it uses the tools
// and the Node that npm installed, also when a tool is started without npm.

import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { delimiter, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

export type Run = {
  readonly isOk: boolean;
  /** Both outputs in the order of arrival; empty if they were not collected. */
  readonly output: string;
  readonly elapsedMs: number;
  /** It exceeded its time limit and was terminated. */
  readonly isTimedOut: boolean;
};

export type RunOptions = {
  /** Collect the outputs (the default), inherit ours, or send both to our standard error or to a file. */
  readonly output?: 'gather' | 'inherit' | 'stderr' | number;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the root of the repository. */
  readonly cwd?: string;
  readonly timeoutMs?: number;
};

const OUTPUTS = {
  gather: ['ignore', 'pipe', 'pipe'],
  inherit: ['ignore', 'inherit', 'inherit'],
  stderr: ['ignore', 2, 2],
} as const;

function outputsOf(output: keyof typeof OUTPUTS | number): StdioOptions {
  return typeof output === 'number' ? ['ignore', output, output] : [...OUTPUTS[output]];
}

export function toolPath(): string {
  return [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
}

export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const chunks: Buffer[] = [];
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env, PATH: toolPath() },
    stdio: outputsOf(options.output ?? 'gather'),
  });
  const limit = endAfter(child, options.timeoutMs);
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('error', (error) => {
    chunks.push(Buffer.from(`${program} did not start: ${error.message}\n`));
    resolve(false);
  });
  child.on('close', (code) => resolve(code === 0));
  const isOk = await promise;
  return {
    isOk,
    output: Buffer.concat(chunks).toString(),
    elapsedMs: performance.now() - startedMs,
    isTimedOut: limit.stop(),
  };
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000;

/** Terminates the program after that time; `stop` returns whether that happened. */
function endAfter(child: ChildProcess, timeoutMs: number | undefined): { readonly stop: () => boolean } {
  if (timeoutMs === undefined) return { stop: () => false };
  let isTimedOut = false;
  const timers = [
    setTimeout(() => {
      isTimedOut = true;
      child.kill('SIGTERM');
    }, timeoutMs),
    setTimeout(() => child.kill('SIGKILL'), timeoutMs + GRACE_MS),
  ];
  return {
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      return isTimedOut;
    },
  };
}
