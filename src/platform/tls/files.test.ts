import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { preparePrivateFolder, readSmallFile, stampOf, writeFileAtomically } from './files.ts';
import { limits } from '#contract';
import { temporaryFolder } from '#testing/tls/scene';

test('a file is written completely, with its mode, over the temporary file of a crash', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'server.key');
  await writeFile(`${path}.tmp`, 'half a k', { mode: 0o644 });
  assert.deepEqual(await writeFileAtomically(path, 'key', 0o600), { ok: true, value: undefined });
  assert.equal(await readFile(path, 'utf8'), 'key');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ['server.key']);
});

test('a write that fails names the file and leaves the old content', async (t) => {
  const path = join(await temporaryFolder(t), 'server.key');
  await writeFile(path, 'old');
  await mkdir(`${path}.tmp`);
  const written = await writeFileAtomically(path, 'new', 0o600);
  assert.ok(!written.ok && written.problem.includes(path));
  assert.equal(await readFile(path, 'utf8'), 'old');
});

test('the folder is created, or made private when it was open', async (t) => {
  const root = await temporaryFolder(t);
  const open = join(root, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  for (const folder of [join(root, 'data', 'tls'), open]) {
    assert.ok((await preparePrivateFolder(folder)).ok);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
  }
  await writeFile(join(root, 'file'), '');
  assert.ok(!(await preparePrivateFolder(join(root, 'file', 'tls'))).ok);
});

test('reading distinguishes absent from unreadable files, and stops at the limit', async (t) => {
  const folder = await temporaryFolder(t);
  const [exact, more] = [join(folder, 'exact'), join(folder, 'more')];
  await writeFile(exact, 'a'.repeat(limits.pemBytes));
  await writeFile(more, 'a'.repeat(limits.pemBytes + 1));
  assert.equal((await readSmallFile(exact)).state, 'present');
  assert.equal((await readSmallFile(more)).state, 'failed');
  assert.equal((await readSmallFile(folder)).state, 'failed');
  assert.equal((await readSmallFile('/dev/zero')).state, 'failed');
  assert.equal((await readSmallFile(join(folder, 'none'))).state, 'absent');
});

test('the stamp changes with content, time, mode, the target of a link, and with absence', async (t) => {
  const folder = await temporaryFolder(t);
  const [path, other, link] = [join(folder, 'a'), join(folder, 'b'), join(folder, 'link')];
  await writeFile(other, 'b');
  const seen = new Set([await stampOf([path, other])]);
  const steps = [
    () => writeFile(path, 'one'),
    () => writeFileAtomically(path, 'two', 0o600),
    () => utimes(path, 1, 1),
    () => chmod(path, 0o640),
    () => symlink(path, link),
  ];
  for (const step of steps) {
    await step();
    seen.add(await stampOf([path, other]));
  }
  assert.equal(seen.size, 1 + steps.length - 1, 'all but the link are changes');
  assert.equal(await stampOf([link]), await stampOf([path]));
});
