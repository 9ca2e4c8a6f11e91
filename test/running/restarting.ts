// Helpers to start, hold and observe restarts. `holdRestart` stops the successor where it reads its settings
// file: the file is a FIFO, and a process that opens it blocks until the test opens and closes the other end.
// This works at any speed of the machine, and the test knows for certain that the successor is blocked.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Service } from './boot.ts';
import { childrenOf, descriptorsOf, isAlive, isHeld } from './processes.ts';
import { runCommand, type CommandResult } from './program.ts';
import { at, describe, type Reply } from './reply.ts';
import { until } from './waiting.ts';

/** The pid of the main process; during a restart, requests may get 503 or no reply. */
export function mainPid(service: Service): Promise<number> {
  return until('The service reports the pid of its main process', async () => {
    if (service.hasEnded()) throw new Error(`The service has ended. Its log:\n${service.log()}`);
    const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(() => undefined);
    const pid = at(reply?.body, 'status', 'pid');
    return typeof pid === 'number' ? pid : undefined;
  });
}

export function requestRestart(service: Service): Promise<Reply> {
  return service.call('POST', '/api/action/restartdns', { via: 'control', maxMs: maxRestartMs });
}

/** More than a busy machine needs. */
const maxRestartMs = 120_000;

/** Restarts through the API, which must succeed; resolves once the old process is gone. */
export async function restart(service: Service): Promise<void> {
  const old = await mainPid(service);
  const reply = await requestRestart(service);
  assert.equal(reply.status, 200, describe(reply) + service.log());
  await goneFrom(service, old);
}

/** Restarts with the command `sluice restart`. */
export async function restartByCommand(service: Service): Promise<CommandResult> {
  const old = await mainPid(service);
  const done = await runCommand(['restart'], { dir: service.dir, env: { SLUICE_WEB_HTTPS: '' } });
  assert.equal(done.code, 0, done.err + service.log());
  await goneFrom(service, old);
  return done;
}

/** Resolves with the pid of the new main process once `old` is gone or has become the launcher. */
export async function goneFrom(service: Service, old: number): Promise<number> {
  const main = await mainPid(service);
  // Besides the main process, the launcher has the reader of its pipe as a child.
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
  /** The reply to the request that started the restart. */
  readonly restarted: Promise<Reply>;
  /** Unblocks the successor. */
  readonly release: () => void;
};

/** Starts a restart and blocks the successor at its settings file; there must be no settings file before. */
export async function holdRestart(service: Service): Promise<HeldRestart> {
  const path = join(service.dir, 'sluice.toml');
  execFileSync('mkfifo', [path]);
  const restarted = requestRestart(service);
  // A test that abandons the restart does not wait for the reply.
  restarted.catch(() => undefined);
  const fd = await until('The successor reads its settings', () => openOnceRead(path));
  const [successor = 0] = childrenOf(await mainPid(service));
  // The successor has the FIFO open and still reads its end of file; a later process finds no file.
  rmSync(path);
  return { successor, restarted, release: () => closeSync(fd) };
}

/**
 * Starts a restart and stops the old process (SIGSTOP) as soon as it has handed over the databases. Soon
 * after that the successor serves, and its message to the stopped process stays unread. Both processes have
 * far more work than this test, which only polls, so the test is in time on a busy machine too.
 */
export async function holdOld(
  service: Service,
): Promise<{ readonly old: number; readonly successor: number }> {
  const old = await mainPid(service);
  // The reply depends on what the old process sees first when it continues.
  requestRestart(service).catch(() => undefined);
  const successor = await until('The successor is started', () => childrenOf(old)[0], maxRestartMs, 1);
  // A forked child has its parent's descriptors until exec.
  const isHandedOver = () => (hasDatabase(successor) && !hasDatabase(old) ? true : undefined);
  await until('Only the successor has the database open', isHandedOver, maxRestartMs, 1);
  process.kill(old, 'SIGSTOP');
  await until('The old process is held', () => (isHeld(old) ? true : undefined));
  return { old, successor };
}

function hasDatabase(pid: number): boolean {
  return descriptorsOf(pid).some((fd) => targetOf(pid, fd).endsWith('/sluice.db'));
}

/** Empty when the descriptor was closed in the meantime. */
function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

function openOnceRead(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
