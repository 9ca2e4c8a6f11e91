import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Authority, currentAuthority } from './authority.ts';
import { directIssuer, newPrivateKey } from './issue.ts';
import { dayMs } from './material.ts';
import { privateKeyPem } from './pem.ts';
import { someMs, temporaryFolder, userPair } from '#testing/tls/scene';

async function made(t: TestContext) {
  const folder = await temporaryFolder(t);
  const load = async (nowMs = someMs, hostname = 'box'): Promise<Authority> => {
    const authority = await currentAuthority({ folder, hostname, nowMs, issuer: directIssuer });
    if (!authority.ok) throw new Error(authority.problem);
    return authority.value;
  };
  return { folder, load, first: await load() };
}

test('the authority stays the same when the host name changes', async (t) => {
  const { load, first } = await made(t);
  assert.equal(first.warning, undefined);
  const again = await load(someMs, 'renamed');
  assert.equal(again.certificate.fingerprint256, first.certificate.fingerprint256);
});

type Row = [string, (folder: string) => Promise<void>, number];
const lastYearMs = someMs - dayMs + (3650 - 365) * dayMs;

const sameKey: Row[] = [
  ['its last year has begun', async () => undefined, lastYearMs],
  ['the clock was ahead when it was issued', async () => undefined, someMs - 2 * dayMs],
  ['a crash came before ca.crt', (folder) => rm(join(folder, 'ca.crt')), someMs],
  ['ca.crt is damaged', (folder) => writeFile(join(folder, 'ca.crt'), 'nonsense'), someMs],
  ['ca.crt is of another key', (folder) => foreignCertificate(folder), someMs],
];

for (const [title, damage, nowMs] of sameKey) {
  test(`a new certificate of the same key and name when ${title}`, async (t) => {
    const { folder, load, first } = await made(t);
    await damage(folder);
    const next = await load(nowMs);
    assert.notEqual(next.certificate.fingerprint256, first.certificate.fingerprint256);
    assert.ok(next.key.equals(first.key) && next.certificate.checkPrivateKey(first.key));
    assert.equal(next.certificate.subject, first.certificate.subject);
    const says = title.endsWith('another key') ? /did not belong to the key in .*Import it/ : /^none$/;
    assert.match(next.warning ?? 'none', says);
    assert.equal((await load(nowMs)).certificate.fingerprint256, next.certificate.fingerprint256);
  });
}

test('a renewal keeps the name after the host was renamed', async (t) => {
  const { load, first } = await made(t);
  const next = await load(lastYearMs, 'renamed');
  assert.notEqual(next.certificate.fingerprint256, first.certificate.fingerprint256);
  assert.equal(next.certificate.subject, first.certificate.subject);
});

test('a moment before its last year the authority is kept', async (t) => {
  const { load, first } = await made(t);
  const next = await load(lastYearMs - 1);
  assert.equal(next.certificate.fingerprint256, first.certificate.fingerprint256);
});

function rsa() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

const lostKey: [string, (file: string) => Promise<void>, string[]][] = [
  ['is lost', (file) => rm(file), []],
  ['is damaged', (file) => writeFile(file, 'nonsense'), ['ca.key.broken']],
  ['is of another kind', (file) => writeFile(file, privateKeyPem(rsa())), ['ca.key.broken']],
];

for (const [title, damage, aside] of lostKey) {
  test(`a key that ${title} means a new authority, and that is reported`, async (t) => {
    const { folder, load, first } = await made(t);
    await damage(join(folder, 'ca.key'));
    const next = await load();
    assert.notEqual(next.certificate.subject, first.certificate.subject);
    assert.match(next.warning ?? '', /ca\.key held no usable key .* Import .*ca\.crt again/);
    assert.deepEqual((await readdir(folder)).sort(), ['ca.crt', 'ca.key', ...aside]);
    assert.equal((await load()).warning, undefined);
  });
}

for (const file of ['ca.key', 'ca.crt']) {
  test(`a ${file} that cannot be opened is not overwritten`, async (t) => {
    const { folder } = await made(t);
    await rm(join(folder, file));
    await mkdir(join(folder, file));
    const authority = await currentAuthority({
      folder,
      hostname: 'box',
      nowMs: someMs,
      issuer: directIssuer,
    });
    assert.ok(!authority.ok && authority.problem.includes(join(folder, file)));
  });
}

test('a renewal that cannot be saved leaves the old certificate in use', async (t) => {
  const { folder, load, first } = await made(t);
  await mkdir(join(folder, 'ca.crt.tmp'));
  const next = await load(lastYearMs);
  assert.equal(next.certificate.fingerprint256, first.certificate.fingerprint256);
  assert.match(next.warning ?? '', /ca\.crt could not be written/);
});

test('a crash between a new key and its certificate is repaired from the key', async (t) => {
  const { folder, load } = await made(t);
  const key = newPrivateKey();
  await writeFile(join(folder, 'ca.key'), privateKeyPem(key));
  assert.ok((await load()).certificate.checkPrivateKey(key));
  const onDisk = new X509Certificate(await readFile(join(folder, 'ca.crt')));
  assert.ok(onDisk.checkPrivateKey(key) && onDisk.ca);
});

async function foreignCertificate(folder: string): Promise<void> {
  await writeFile(join(folder, 'ca.crt'), (await userPair('x.example', someMs)).ca);
}
