// The lock of the data folder between real processes: this file starts itself as a child, which takes the
// lock, reports it and runs until it is killed. The folder of a killed holder is free, with libc and without.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lockFolder } from './folder-lock.ts';
import { type Libc, loadLibc } from './libc.ts';
import { formatHolder, type LockHolder, parseHolder } from './lock-holder.ts';

const childDir = process.env['SLUICE_TEST_LOCK_DIR'];
const childLibc = process.env['SLUICE_TEST_LOCK_LIBC'];
const loaded = loadLibc();

if (childDir !== undefined) {
  const locked = lockFolder(childLibc === 'yes' ? loaded : undefined, childDir, holderNow());
  process.send?.(locked.ok ? 'locked' : locked.problem);
  setInterval(() => undefined, 60_000);
} else {
  if (loaded !== undefined) describeWay('with libc', loaded);
  describeWay('without libc', undefined);
  if (loaded !== undefined) describeFlock(loaded);
  describePlain();
  describeRecord();
}

function describeWay(name: string, libc: Libc | undefined): void {
  test(`one holder at a time, and the next one after release, ${name}`, (context) => {
    const dir = folder(context);
    const first = lockFolder(libc, dir, holderNow());
    assert.ok(first.ok);
    assert.equal(first.lock.fd !== undefined, libc !== undefined);
    const second = lockFolder(libc, dir, holderNow());
    assert.ok(!second.ok);
    assert.equal(second.holder?.pid, process.pid);
    first.lock.release();
    first.lock.release();
    const third = lockFolder(libc, dir, holderNow());
    assert.ok(third.ok);
    assert.equal(statSync(join(dir, 'lock')).mode & 0o777, 0o600);
    third.lock.release();
  });

  test(
    `another process is named in the message, and kill -9 frees its folder, ${name}`,
    { timeout: 120_000 },
    async (context) => {
      const dir = folder(context);
      const child = await startHolder(context, dir, libc);
      const refused = lockFolder(libc, dir, holderNow());
      assert.ok(!refused.ok);
      assert.equal(refused.holder?.pid, child.pid);
      const who = `process ${child.pid} on test-host \\(version 1\\.2\\.3, since \\d{4}-.*Z\\) uses it`;
      assert.match(
        refused.problem,
        new RegExp(`^data folder ${dir}: ${who}\\. Stop that process, or give`, 'u'),
      );
      child.kill('SIGKILL');
      await once(child, 'exit');
      const locked = lockFolder(libc, dir, holderNow());
      assert.ok(locked.ok);
      assert.equal(parseHolder(readFileSync(join(dir, 'lock'), 'utf8'))?.pid, process.pid);
      locked.lock.release();
      assert.deepEqual(
        readdirSync(dir).filter((entry) => entry !== 'lock'),
        [],
      );
    },
  );

  test(`a folder that cannot be used is reported as a problem, ${name}`, (context) => {
    const dir = folder(context);
    const missing = lockFolder(libc, join(dir, 'missing'), holderNow());
    assert.ok(!missing.ok);
    assert.match(missing.problem, /there is no such folder, or it allows no files \(ENOENT\)\. Create it/u);
  });
}

function describeFlock(libc: Libc): void {
  test('the lock is close-on-exec: a child does not keep the folder', async (context) => {
    const dir = folder(context);
    const first = lockFolder(libc, dir, holderNow());
    assert.ok(first.ok);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'ignore' });
    context.after(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    first.lock.release();
    const second = lockFolder(libc, dir, holderNow());
    assert.ok(second.ok);
    second.lock.release();
  });

  test('the lock does not depend on the content of the record', (context) => {
    const dir = folder(context);
    for (const content of ['', 'nonsense', '{"pid":1}', formatHolder({ ...holderNow(), pid: 1 }).repeat(3)]) {
      writeFileSync(join(dir, 'lock'), content);
      const locked = lockFolder(libc, dir, holderNow());
      assert.ok(locked.ok);
      assert.equal(parseHolder(readFileSync(join(dir, 'lock'), 'utf8'))?.pid, process.pid);
      writeFileSync(join(dir, 'lock'), content);
      const refused = lockFolder(libc, dir, holderNow());
      assert.ok(!refused.ok && refused.holder === undefined);
      assert.match(refused.problem, /another process uses it\. Stop/u);
      locked.lock.release();
    }
  });

  test('a folder named lock is reported as a problem', (context) => {
    const dir = folder(context);
    mkdirSync(join(dir, 'lock'));
    const refused = lockFolder(libc, dir, holderNow());
    assert.ok(!refused.ok);
    assert.match(refused.problem, /EISDIR/u);
  });
}

function describePlain(): void {
  const ours = { ...holderNow(), startedAt: '2020-01-01T00:00:00.000Z' };
  const table: readonly (readonly [name: string, record: string, free: boolean])[] = [
    ['no record', '', true],
    ['our own process number in a record older than this process', formatHolder(ours), true],
    ['a holder on another host', formatHolder({ ...ours, pid: 0x3fff_ffff, host: 'elsewhere' }), false],
    ['a live process', formatHolder({ ...ours, pid: process.ppid }), false],
    ['a dead process', formatHolder({ ...ours, pid: 0x3fff_ffff }), true],
  ];
  for (const [name, record, free] of table) {
    test(`without libc, ${name} means ${free ? 'free' : 'held'}`, (context) => {
      const dir = folder(context);
      writeFileSync(join(dir, 'lock'), record);
      const locked = lockFolder(undefined, dir, holderNow());
      assert.equal(locked.ok, free);
      if (!locked.ok) assert.match(locked.problem, /If it is gone for certain, delete .*lock\.$/u);
      assert.deepEqual(readdirSync(dir), ['lock']);
    });
  }
}

function describeRecord(): void {
  test('a record is unchanged after formatting and parsing, and other texts are refused', () => {
    const holder = holderNow();
    assert.deepEqual(parseHolder(formatHolder(holder)), holder);
    for (const text of ['null', '[]', '1', '{"pid":"1"}', JSON.stringify({ ...holder, pid: 0 })]) {
      assert.equal(parseHolder(text), undefined);
    }
    const tooLong = formatHolder({ ...holder, version: 'x'.repeat(4096) });
    assert.equal(parseHolder(tooLong), undefined);
  });
}

function holderNow(): LockHolder {
  return { pid: process.pid, startedAt: new Date().toISOString(), version: '1.2.3', host: 'test-host' };
}

function folder(context: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  context.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function startHolder(context: TestContext, dir: string, libc: Libc | undefined): Promise<ChildProcess> {
  const env = { SLUICE_TEST_LOCK_DIR: dir, SLUICE_TEST_LOCK_LIBC: libc === undefined ? 'no' : 'yes' };
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  context.after(() => child.kill('SIGKILL'));
  const [said] = await once(child, 'message');
  assert.equal(said, 'locked');
  return child;
}
