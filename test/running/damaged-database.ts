// Data folders with a damaged database: a template folder that a real service has filled and backed up,
// clones of it to damage, and the checks that must pass once the service has restored the copy.

import assert from 'node:assert/strict';
import { closeSync, cpSync, ftruncateSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';

import { boot, bootFor, type BootOptions, type Service } from './boot.ts';
import { temporaryFolder } from './folder.ts';
import { at, listAt } from './reply.ts';

const template = temporaryFolder();
/** A service without HTTPS starts faster. */
export const quick = { SLUICE_WEB_HTTPS: '' };

/** Fills the folder that `clone` copies. */
export function fillTemplate(): Promise<void> {
  return fillFolder(template, () => copyOf(template));
}

/** Runs a service that writes 400 groups, calls `makeCopy` to copy them, and writes one more group. */
export async function fillFolder(
  dir: string,
  makeCopy: (service: Service) => Promise<void>,
  end: 'stop' | 'kill' = 'stop',
): Promise<void> {
  const service = await boot({ dir, env: quick });
  const name = Array.from({ length: 400 }, (_, index) => `group ${index}`);
  const created = await service.call('POST', '/api/groups', { body: { name, comment: 'c'.repeat(500) } });
  assert.equal(created.status, 201);
  await makeCopy(service);
  const late = await service.call('POST', '/api/groups', { body: { name: 'after the copy' } });
  assert.equal(late.status, 201);
  await service[end]();
}

/** Writes the copy of the database that the service itself writes some time after its start. */
export async function copyOf(dir: string): Promise<void> {
  mkdirSync(join(dir, 'copies'));
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  await backup(database, join(dir, 'copies', `sluice-${new Date().toISOString().slice(0, 10)}.db`));
  database.close();
}

export function clone(filled = template): string {
  const dir = temporaryFolder();
  // A killed service leaves its socket behind, and a socket cannot be copied.
  const filter = (path: string): boolean => !path.endsWith('.sock');
  cpSync(filled, dir, { recursive: true, filter });
  return dir;
}

/** The api thread may die when it reads the damaged file; its restart is part of the test. */
export function bootDamaged(t: TestContext, options: BootOptions): Promise<Service> {
  return bootFor(t, { env: quick, expectedFaults: /thread api died/, ...options });
}

export async function assertRestored(service: Service): Promise<void> {
  const { text } = await service.call('GET', '/api/groups');
  assert.match(text, /"group 0"/);
  assert.match(text, /"group 399"/);
  assert.doesNotMatch(text, /after the copy/);
  await service.logged(/error .*sluice\.db.*broken/);
  await service.logged(/error .*copy of .* was restored/i);
  const [aside, ...more] = asideFiles(service.dir);
  assert.ok(aside !== undefined && more.length === 0, `Put aside: ${asideFiles(service.dir).join(' ')}`);
  await service.logged(new RegExp(RegExp.escape(aside)));
  const made = await service.call('POST', '/api/groups', { body: { name: 'life goes on' } });
  assert.equal(made.status, 201, made.text);
  await assertLossReported(service);
}

/** Health is degraded and a message gives the reason, until a user deletes the message. */
export async function assertLossReported(service: Service): Promise<void> {
  const health = await service.call('GET', '/api/health', { via: 'control' });
  const problem = listAt(health.body, 'degraded').find((one) => at(one, 'part') === 'data');
  const { body } = await service.call('GET', '/api/info/messages');
  const message = listAt(body, 'messages').find((one) => at(one, 'plain') === at(problem, 'reason'));
  assert.equal(health.status, 200);
  assert.ok(problem !== undefined && message !== undefined, `${health.text}\n${JSON.stringify(body)}`);
  const deleted = await service.call('DELETE', `/api/info/messages/${String(at(message, 'id'))}`);
  assert.equal(deleted.status, 204);
  const after = await service.call('GET', '/api/health', { via: 'control' });
  assert.ok(!listAt(after.body, 'degraded').some((one) => at(one, 'part') === 'data'), after.text);
}

export function asideFiles(dir: string): string[] {
  return readdirSync(dir).filter(
    (name) => /^sluice\.db\.broken-[^.]*$/.test(name) && !/-(?:wal|shm)$/.test(name),
  );
}

export function overwrite(path: string, from: number, count: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(count, 'garbage!'), 0, count, from);
  closeSync(file);
}

export function cut(path: string, sizeBytes: number): void {
  const file = openSync(path, 'r+');
  ftruncateSync(file, Math.floor(sizeBytes));
  closeSync(file);
}

/** Nothing reads the revisions at start, so only the full integrity check finds this damage. */
export function damageRevisions(path: string): void {
  const database = new DatabaseSync(path);
  const page = database.prepare("select rootpage from sqlite_schema where name = 'revisions_at'").get();
  database.close();
  overwrite(path, (Number(at(page, 'rootpage')) - 1) * 4_096, 4_096);
}
