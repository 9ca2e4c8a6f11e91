// Runs a program in its own process group, so that processes that outlive it are found. At the time limit the
// whole group is killed. Processes that remain after the end of the program are killed and reported, also
// those that left the group but kept the environment. Ctrl-C in the terminal does not reach other groups, so
// signals that end us kill the groups first.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { ROOT, toolPath } from '../run.ts';

export type GroupRun = {
  readonly isOk: boolean;
  /** Both outputs in the order of arrival. */
  readonly output: string;
  readonly elapsedMs: number;
  readonly isTimedOut: boolean;
  /** Command lines of processes that remained some seconds after the end of the program. */
  readonly leftBehind: readonly string[];
};

type GroupOptions = { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number };

/** Killed processes do not disappear at once. */
const GONE_WITHIN_MS = 5_000;
const CHECK_INTERVAL_MS = 20;

/** Output may arrive after the end of the program; output of remaining processes is not awaited. */
const OUTPUT_WITHIN_MS = 1_000;
const MARK = 'SLUICE_TEST_PROCESS_GROUP';

const groups = new Set<number>();

export async function runGroup(
  program: string,
  args: readonly string[],
  { env, timeoutMs }: GroupOptions,
): Promise<GroupRun> {
  const startedMs = performance.now();
  const mark = randomUUID();
  const child = spawn(program, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, ...env, [MARK]: mark, PATH: toolPath() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const { isOk, isTimedOut } = await ended(child, timeoutMs);
  const group = child.pid ?? 0;
  const left = isTimedOut ? membersOf(group, mark) : await membersAfter(group, mark);
  const leftBehind = left.map(commandOf);
  for (const id of left) kill(Number(id));
  groups.delete(group);
  return {
    isOk,
    isTimedOut,
    leftBehind,
    output: await output(),
    elapsedMs: performance.now() - startedMs,
  };
}

/** Resolves when the program ends, even if another process keeps its outputs open. */
async function ended(child: ChildProcess, timeoutMs: number): Promise<Pick<GroupRun, 'isOk' | 'isTimedOut'>> {
  const group = child.pid;
  if (group === undefined) return { isOk: false, isTimedOut: false };
  killOnSignals();
  groups.add(group);
  let isTimedOut = false;
  const limit = setTimeout(() => {
    isTimedOut = true;
    kill(-group);
  }, timeoutMs);
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  return { isOk: code === 0, isTimedOut };
}

function collect(child: ChildProcess): () => Promise<string> {
  const chunks: Buffer[] = [];
  const closed = once(child, 'close').catch(() => undefined);
  child.on('error', (error) => chunks.push(Buffer.from(`It did not start: ${error.message}\n`)));
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return async () => {
    await Promise.race([closed, sleep(OUTPUT_WITHIN_MS, undefined, { ref: false })]);
    for (const stream of streams) stream?.destroy();
    return Buffer.concat(chunks).toString();
  };
}

/** The ids of processes that do not end in time. */
async function membersAfter(group: number, mark: string): Promise<readonly string[]> {
  const endMs = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const members = membersOf(group, mark);
    if (members.length === 0 || performance.now() > endMs) return members;
    await sleep(CHECK_INTERVAL_MS);
  }
}

function membersOf(group: number, mark: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => groupOf(id) === group || read(`/proc/${id}/environ`).includes(`${MARK}=${mark}`));
}

/** Undefined for a zombie process. */
function groupOf(id: string): number | undefined {
  const stat = read(`/proc/${id}/stat`);
  // The program name is in parentheses and may contain any character; the fields are counted after it.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : Number(group);
}

function commandOf(id: string): string {
  return read(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trim() || `process ${id}`;
}

/** Empty if the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A negative id is a process group. */
function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

let isListening = false;

function killOnSignals(): void {
  if (isListening) return;
  isListening = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      for (const group of groups) kill(-group);
      // The listener is removed, so this ends us.
      process.kill(process.pid, signal);
    });
}
