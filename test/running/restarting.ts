// Restarts as tests begin, hold and watch them. A successor is held where it reads its settings file: the
// file is a FIFO then, and whoever opens it waits until the test writes to it. That holds at any speed of the
// machine, and the test knows that it holds.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Service } from './boot.ts';
import { childrenOf, descriptorsOf, isAlive, isHeld } from './processes.ts';
import { runCommand, type CommandResult } from './program.ts';
import { at, describe, type Reply } from './reply.ts';
import { until } from './waiting.ts';

/** The process in charge; while it changes, requests may get 503 or no reply. */
export function mainPid(service: Service): Promise<number> {
  return until('The service tells its process', async () => {
    if (service.hasEnded()) throw new Error(`The service has ended. Its log:\n${service.log()}`);
    const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(() => undefined);
    const pid = at(reply?.body, 'status', 'pid');
    return typeof pid === 'number' ? pid : undefined;
  });
}

export function askForRestart(service: Service): Promise<Reply> {
  return service.call('POST', '/api/action/restartdns', { via: 'control', maxMs: restartMaxMs });
}

/** Above what a busy machine needs. */
const restartMaxMs = 120_000;

/** By the API, and it must succeed; resolves once the old process is gone. */
export async function restart(service: Service): Promise<void> {
  const old = await mainPid(service);
  const reply = await askForRestart(service);
  assert.equal(reply.status, 200, describe(reply) + service.log());
  await goneFrom(service, old);
}

/** The same by the command. */
export async function restartByCommand(service: Service): Promise<CommandResult> {
  const old = await mainPid(service);
  const done = await runCommand(['restart'], { dir: service.dir, env: { SLUICE_WEB_HTTPS: '' } });
  assert.equal(done.code, 0, done.err + service.log());
  await goneFrom(service, old);
  return done;
}

/** Resolves with the process in charge once `old` is gone, or has become the launcher. */
export async function goneFrom(service: Service, old: number): Promise<number> {
  const main = await mainPid(service);
  // Beside the process in charge, the launcher has the reader of its pipe.
  await until(`Process ${old} has handed over and is gone, or is the launcher`, () => {
    const children = childrenOf(service.pid);
    const isGone = old === service.pid || !isAlive(old);
    return isGone && children.length === 2 && children.includes(main) ? true : undefined;
  });
  return main;
}

export async function assertWrites(service: Service, name: string): Promise<void> {
  const reply = await service.call('POST', '/api/groups', { body: { name }, via: 'control' });
  assert.equal(reply.status, 201, describe(reply) + service.log());
}

export async function groupsOf(service: Service): Promise<string> {
  return (await service.call('GET', '/api/groups', { via: 'control' })).text;
}

export type HeldRestart = {
  readonly successor: number;
  /** The reply to whoever asked for the restart. */
  readonly restarted: Promise<Reply>;
  /** Lets the successor go on. */
  readonly release: () => void;
};

/** Begins a restart whose successor waits before it has read its settings; there must be no settings file. */
export async function holdRestart(service: Service): Promise<HeldRestart> {
  const path = join(service.dir, 'sluice.toml');
  execFileSync('mkfifo', [path]);
  const restarted = askForRestart(service);
  // A test that gives the restart up does not wait for the reply.
  restarted.catch(() => undefined);
  const fd = await until('The successor reads its settings', () => openForReader(path));
  const [successor = 0] = childrenOf(await mainPid(service));
  // Who has the FIFO open gets its end of file when we are gone, too; whoever comes later finds no file.
  rmSync(path);
  return { successor, restarted, release: () => closeSync(fd) };
}

/**
 * Begins a restart and stops the old process when it has handed the databases over. The new one serves soon
 * after that, and says so to a process that does not hear it. Both have far more to do than this test, which
 * does nothing but look: it is not late on a busy machine either.
 */
export async function holdOld(
  service: Service,
): Promise<{ readonly old: number; readonly successor: number }> {
  const old = await mainPid(service);
  // What it is told when it goes on depends on what it sees first.
  askForRestart(service).catch(() => undefined);
  const successor = await until('The successor is there', () => childrenOf(old)[0], restartMaxMs, 1);
  // A child has what its parent has until it has become its own program.
  const isGiven = () => (hasDatabase(successor) && !hasDatabase(old) ? true : undefined);
  await until('The successor has the database alone', isGiven, restartMaxMs, 1);
  process.kill(old, 'SIGSTOP');
  await until('The old process is held', () => (isHeld(old) ? true : undefined));
  return { old, successor };
}

function hasDatabase(pid: number): boolean {
  return descriptorsOf(pid).some((fd) => targetOf(pid, fd).endsWith('/sluice.db'));
}

/** Empty when it was closed meanwhile. */
function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

function openForReader(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
