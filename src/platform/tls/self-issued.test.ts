import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { directIssuer, newPrivateKey, serverLifeMs } from './issue.ts';
import { dayMs } from './material.ts';
import { selfIssuedCertificate, type SelfIssuedCertificate } from './self-issued.ts';
import { privateKeyPem } from './pem.ts';
import { someMs, temporaryFolder } from '#testing/tls/scene';

const names = ['localhost', '127.0.0.1'];

/** A folder with a good authority and certificate, and a function that loads it again. */
async function made(t: TestContext) {
  const folder = join(await temporaryFolder(t), 'tls');
  const load = async (change = {}): Promise<SelfIssuedCertificate> => {
    const own = await selfIssuedCertificate({
      folder,
      hostname: 'box',
      names,
      nowMs: someMs,
      issuer: directIssuer,
      ...change,
    });
    if (!own.ok) throw new Error(own.problem);
    return own.value;
  };
  return { folder, load, first: await load() };
}

test('the first start issues an authority and a certificate, the second one loads them', async (t) => {
  const { folder, load, first } = await made(t);
  assert.equal(first.reason, 'missing');
  assert.deepEqual((await readdir(folder)).sort(), ['ca.crt', 'ca.key', 'server.crt', 'server.key']);
  for (const file of ['ca.key', 'server.key']) {
    assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600);
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const again = await load();
  assert.deepEqual(again, { ...first, reason: undefined });
});

const changes: [string, object, string | undefined][] = [
  ['a moment before the last third', { nowMs: someMs - dayMs + (serverLifeMs * 2) / 3 - 1 }, undefined],
  ['in the last third', { nowMs: someMs - dayMs + (serverLifeMs * 2) / 3 }, 'ends-soon'],
  ['after a long time off', { nowMs: someMs + 400 * dayMs }, 'ends-soon'],
  ['with the clock set back', { nowMs: someMs - dayMs - 1 }, 'not-yet-valid'],
  ['with a clock not set', { nowMs: 0 }, undefined],
  ['with a new address', { names: [...names, '192.0.2.1'] }, 'names-missing'],
  ['with a name less', { names: ['localhost'] }, undefined],
];

for (const [title, change, reason] of changes) {
  test(`loaded ${title}: ${reason ?? 'kept'}`, async (t) => {
    const { load, first } = await made(t);
    const next = await load(change);
    assert.equal(next.reason, reason);
    assert.equal(next.material.fingerprint256 === first.material.fingerprint256, reason === undefined);
    assert.equal(issuerKey(next), issuerKey(first), 'the authority keeps its key');
    assert.equal((await load(change)).reason, undefined, 'once is enough');
  });
}

type Damage = (folder: string) => Promise<void>;
function key() {
  return privateKeyPem(newPrivateKey());
}

const damages: [string, Damage, string][] = [
  ['a crash before server.crt', (f) => writeFile(join(f, 'server.key'), key()), 'key-mismatch'],
  ['server.crt lost', (f) => rm(join(f, 'server.crt')), 'missing'],
  ['server.key lost', (f) => rm(join(f, 'server.key')), 'missing'],
  ['server.key emptied', (f) => writeFile(join(f, 'server.key'), ''), 'unreadable'],
  ['server.crt cut', (f) => cut(join(f, 'server.crt')), 'unreadable'],
  ['server.crt of zero bytes', (f) => writeFile(join(f, 'server.crt'), Buffer.alloc(700)), 'unreadable'],
];

for (const [title, damage, reason] of damages) {
  test(`${title}: a new certificate of the same authority`, async (t) => {
    const { folder, load, first } = await made(t);
    await damage(folder);
    const next = await load();
    assert.equal(next.reason, reason);
    assert.equal(next.warning, undefined);
    assert.equal(next.material.caCert, first.material.caCert);
    assert.deepEqual(await load(), { ...next, reason: undefined });
  });
}

test('a renewal that cannot be saved leaves the stored certificate serving', async (t) => {
  const { folder, load, first } = await made(t);
  await mkdir(join(folder, 'server.key.tmp'));
  const next = await load({ nowMs: someMs + 80 * dayMs });
  assert.equal(next.material.fingerprint256, first.material.fingerprint256);
  assert.match(next.warning ?? '', /server\.key could not be written .* Free space/);
});

test('a pair that does not match is not served, even when no new one can be saved', async (t) => {
  const { folder } = await made(t);
  await writeFile(join(folder, 'server.key'), key());
  await mkdir(join(folder, 'server.key.tmp'));
  const own = await selfIssuedCertificate({
    folder,
    hostname: 'box',
    names,
    nowMs: someMs,
    issuer: directIssuer,
  });
  assert.match(own.ok ? 'served' : own.problem, /server\.key could not be written/);
});

test('a new authority means a new certificate', async (t) => {
  const { folder, load } = await made(t);
  await rm(join(folder, 'ca.key'));
  const next = await load();
  assert.equal(next.reason, 'other-authority');
  const [leaf, authority] = [next.material.cert, next.material.caCert ?? ''].map(
    (pem) => new X509Certificate(pem),
  );
  assert.ok(leaf && authority && leaf.verify(authority.publicKey));
});

test('a folder that cannot be created is a failure that names it', async (t) => {
  const root = await temporaryFolder(t);
  await writeFile(join(root, 'tls'), 'a file');
  const own = await selfIssuedCertificate({
    folder: join(root, 'tls'),
    hostname: 'box',
    names,
    nowMs: someMs,
    issuer: directIssuer,
  });
  assert.ok(!own.ok && own.problem.includes(join(root, 'tls')));
});

function issuerKey({ material }: SelfIssuedCertificate): string {
  const { publicKey } = new X509Certificate(material.caCert ?? '');
  return publicKey.export({ type: 'spki', format: 'pem' });
}

async function cut(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/\n.{64}\n/, '\n'));
}
