import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as x509 from '@peculiar/x509';
import { dayMs } from './material.ts';
import { someMs, temporaryFolder, userPair, type UserPair } from '#testing/tls/scene';
import { loadConfiguredCertificate, configuredFilesOf, validityWarning } from './configured.ts';

const good = await userPair('dns.example', someMs);
const other = await userPair('other.example', someMs);
const encrypted = createPrivateKey(good.key).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'secret',
});
const sec1 = createPrivateKey(good.key).export({ type: 'sec1', format: 'pem' });

const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
const damaged = good.cert.replace(/\n.{64}\n/, '\n');

type Content = { cert: string; key: string };

const accepted: [string, Content][] = [
  ['a leaf alone', { cert: good.cert, key: good.key }],
  ['a chain', { cert: good.cert + good.ca, key: good.key }],
  ['an old key format with parameters before it', { cert: good.cert, key: parameters + sec1 }],
  [
    'text around the blocks, and Windows line ends',
    { cert: `Bag\r\n${windows(good.cert)}`, key: windows(good.key) },
  ],
  ['both in both files', { cert: good.key + good.cert, key: good.cert + good.key }],
];

for (const [title, content] of accepted) {
  test(`accepted: ${title}`, async (t) => {
    const files = await write(await temporaryFolder(t), content);
    const loaded = await loadConfiguredCertificate(files);
    assert.ok(loaded.ok, JSON.stringify(loaded));
    const { source, file, names, caCert, cert } = loaded.value;
    assert.deepEqual(
      { source, file, names, caCert },
      {
        source: 'user',
        file: files.certFile,
        names: ['dns.example'],
        caCert: undefined,
      },
    );
    assert.ok(!cert.includes('PRIVATE'));
  });
}

const refused: [string, Content, RegExp][] = [
  [
    'the key of another certificate',
    { cert: good.cert, key: other.key },
    /key in .*u\.key does not belong .*u\.crt.* Use/,
  ],
  ['the issuer first', { cert: good.ca + good.cert, key: good.key }, /first certificate in .*u\.crt .* Put/],
  ['no certificate', { cert: 'hello', key: good.key }, /u\.crt holds no PEM certificate .* Convert/],
  ['an empty file', { cert: '', key: good.key }, /u\.crt holds no PEM certificate/],
  ['a damaged certificate', { cert: damaged, key: good.key }, /certificate in .*u\.crt is damaged\. Copy/],
  ['a damaged issuer', { cert: good.cert + damaged, key: good.key }, /certificate in .*u\.crt is damaged/],
  ['no key', { cert: good.cert, key: good.cert }, /u\.key holds no PEM private key .* Write/],
  ['a key with a passphrase', { cert: good.cert, key: encrypted }, /u\.key is protected by a passphrase/],
];

for (const [title, content, message] of refused) {
  test(`refused: ${title}`, async (t) => {
    const loaded = await loadConfiguredCertificate(await write(await temporaryFolder(t), content));
    assert.match(loaded.ok ? 'accepted' : loaded.problem, message);
  });
}

test('refused: a file that is missing or no file', async (t) => {
  const files = await write(await temporaryFolder(t), good);
  await rm(files.keyFile);
  const missing = await loadConfiguredCertificate(files);
  assert.match(
    missing.ok ? '' : missing.problem,
    /TLS key file .* u\.key does not exist|u\.key does not exist/,
  );
  await mkdir(files.keyFile);
  const folder = await loadConfiguredCertificate(files);
  assert.match(folder.ok ? '' : folder.problem, /u\.key is not a regular file\. Correct the path/);
});

test('refused: a key that OpenSSL finds too short', async (t) => {
  const loaded = await loadConfiguredCertificate(await write(await temporaryFolder(t), await shortRsa()));
  assert.match(loaded.ok ? 'accepted' : loaded.problem, /TLS refuses .*u\.crt .*too small.* Use an EC key/);
});

test('an expired certificate is loaded with a warning, from the moment it ends', async (t) => {
  const files = await write(await temporaryFolder(t), good);
  const loaded = await loadConfiguredCertificate(files);
  assert.ok(loaded.ok);
  const { notBeforeMs, notAfterMs } = loaded.value;
  assert.deepEqual([notBeforeMs, notAfterMs], [someMs - dayMs, someMs + 89 * dayMs]);
  assert.equal(validityWarning(loaded.value, notBeforeMs), undefined);
  assert.equal(validityWarning(loaded.value, notAfterMs), undefined);
  assert.match(
    validityWarning(loaded.value, notAfterMs + 1) ?? '',
    /u\.crt ended at 2027-04-14 12:00 UTC\. Renew/,
  );
  assert.match(validityWarning(loaded.value, notBeforeMs - 1) ?? '', /u\.crt begins at .* clock/);
});

test('both files are set, or neither', () => {
  assert.deepEqual(configuredFilesOf('', ''), { ok: true, value: undefined });
  assert.deepEqual(configuredFilesOf('/a', '/b'), { ok: true, value: { certFile: '/a', keyFile: '/b' } });
  const [noKey, noCert] = [configuredFilesOf('/a', ''), configuredFilesOf('', '/b')];
  assert.match(noKey.ok ? '' : noKey.problem, /certificate file is set \(\/a\) but no key file/);
  assert.match(noCert.ok ? '' : noCert.problem, /key file is set \(\/b\) but no certificate file/);
});

async function write(folder: string, { cert, key }: Pick<UserPair, 'cert' | 'key'>) {
  const files = { certFile: join(folder, 'u.crt'), keyFile: join(folder, 'u.key') };
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
}

function windows(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

async function shortRsa(): Promise<Content> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = await webcrypto.subtle.generateKey({ ...algorithm, modulusLength: 1024 }, true, [
    'sign',
    'verify',
  ]);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=short', keys });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: cert.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}
