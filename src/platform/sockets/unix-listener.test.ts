// The control socket in real folders, with and without libc: its mode under the widest umask, which files it
// replaces and which it does not touch.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Libc, loadLibc } from './libc.ts';
import type { Opened, UnixListener } from './listener.ts';
import { openUnixPlain } from './plain-unix.ts';
import { attach } from './serve-on.ts';
import { openUnix } from './unix-listener.ts';

const loaded = loadLibc();

interface Way {
  readonly name: string;
  readonly libc: Libc | undefined;
  open(path: string): Promise<Opened<UnixListener>>;
}

const ways: Way[] = [{ name: 'without libc', libc: undefined, open: openUnixPlain }];
if (loaded !== undefined) {
  ways.push({ name: 'with libc', libc: loaded, open: async (path) => openUnix(loaded, path) });
}

for (const way of ways) {
  test(`serves with mode 0600, ${way.name}`, async (context) => {
    const path = join(folder(context), 'control.sock');
    await underWidestUmask(() => serve(context, way, path));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(await ask(path), 'hello');
  });

  test(`refuses to replace a live socket, ${way.name}`, async (context) => {
    const path = join(folder(context), 'control.sock');
    await serve(context, way, path);
    const refused = await refusal(way, path);
    assert.equal(refused.code, 'EADDRINUSE');
    assert.match(
      refused.problem,
      /^control socket: cannot listen on .*control\.sock: a running program listens/u,
    );
    assert.equal(await ask(path), 'hello');
  });

  test(
    `replaces the socket of a dead process, ${way.name}`,
    { skip: loaded === undefined },
    async (context) => {
      assert.ok(loaded);
      const path = join(folder(context), 'control.sock');
      const left = openUnix(loaded, path);
      assert.ok(left.ok && left.listener.fd !== undefined);
      loaded.close(left.listener.fd);
      assert.ok(existsSync(path));
      await serve(context, way, path);
      assert.equal(await ask(path), 'hello');
    },
  );

  test(`does not touch a file that is not a socket, ${way.name}`, async (context) => {
    const dir = folder(context);
    writeFileSync(join(dir, 'file'), 'precious');
    symlinkSync(join(dir, 'nowhere'), join(dir, 'symlink'));
    for (const path of [dir, join(dir, 'file'), join(dir, 'symlink')]) {
      assert.equal((await refusal(way, path)).code, 'EEXIST');
    }
  });

  test(`refuses a path of 108 bytes, ${way.name}`, async (context) => {
    const dir = folder(context);
    const longest = join(dir, 'x'.repeat(107 - Buffer.byteLength(dir) - 1));
    await serve(context, way, longest);
    const refused = await refusal(way, `${longest}x`);
    assert.equal(refused.code, 'ENAMETOOLONG');
    assert.match(refused.problem, /longer than 107 bytes/u);
  });
}

test('the mode is right before the socket is served', { skip: loaded === undefined }, async (context) => {
  assert.ok(loaded);
  const path = join(folder(context), 'control.sock');
  const opened = await underWidestUmask(async () => openUnix(loaded, path));
  assert.ok(opened.ok && opened.listener.fd !== undefined);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  loaded.close(opened.listener.fd);
});

test('a missing folder is named as the reason', { skip: loaded === undefined }, (context) => {
  assert.ok(loaded);
  const opened = openUnix(loaded, join(folder(context), 'missing', 'control.sock'));
  assert.ok(!opened.ok);
  assert.match(opened.problem, /its folder does not exist \(ENOENT\)/u);
});

function folder(context: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-unix-'));
  context.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function underWidestUmask<T>(step: () => Promise<T>): Promise<T> {
  const before = process.umask(0);
  try {
    return await step();
  } finally {
    process.umask(before);
  }
}

async function serve(context: TestContext, way: Way, path: string): Promise<void> {
  const opened = await way.open(path);
  assert.ok(opened.ok, opened.ok ? '' : opened.problem);
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello'));
  await attach(way.libc, server, opened.listener);
  context.after(() => {
    server.close();
    if (opened.listener.fd !== undefined) way.libc?.close(opened.listener.fd);
  });
}

async function refusal(way: Way, path: string): Promise<{ code: string; problem: string }> {
  const opened = await way.open(path);
  assert.ok(!opened.ok);
  return opened;
}

async function ask(path: string): Promise<string> {
  const chunks: Buffer[] = await connect({ path }).toArray();
  return Buffer.concat(chunks).toString();
}
