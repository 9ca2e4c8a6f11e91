import 'reflect-metadata';
import assert from 'node:assert/strict';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import * as x509 from '@peculiar/x509';
import { authorityLifeMs, issueAuthority, issueServer, newPrivateKey, serverLifeMs } from './issue.ts';
import { limits } from '#contract';
import { dayMs } from './material.ts';
import { namesOfCertificate } from './names.ts';
import { someMs } from '#testing/tls/scene';

async function pair(names: readonly string[], nowMs: number, hostname = 'box') {
  const authorityKey = newPrivateKey();
  const authority = await issueAuthority({ key: authorityKey, hostname, previous: undefined, nowMs });
  const key = newPrivateKey();
  const server = await issueServer({ key, hostname, names, authorityKey, authority, nowMs });
  return { authorityKey, authority, key, server };
}

function read(certificate: X509Certificate): x509.X509Certificate {
  return new x509.X509Certificate(certificate.raw);
}

test('the authority may issue server certificates and no further authorities', async () => {
  const { authority, authorityKey } = await pair(['localhost'], someMs);
  const parsed = read(authority);
  const constraints = parsed.getExtension(x509.BasicConstraintsExtension);
  assert.deepEqual([constraints?.ca, constraints?.pathLength, constraints?.critical], [true, 0, true]);
  const usages = parsed.getExtension(x509.KeyUsagesExtension);
  assert.equal(usages?.usages, x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign);
  assert.equal(usages?.critical, true);
  assert.match(authority.subject, /^CN=Sluice CA box [\da-f]{8}$/);
  assert.ok(authority.checkPrivateKey(authorityKey) && authority.verify(authority.publicKey));
  assert.equal(authority.validToDate.getTime() - authority.validFromDate.getTime(), authorityLifeMs);
});

test('the server certificate is for servers, names its issuer by key, and is short-lived', async () => {
  const names = ['localhost', 'sluice.internal', '192.0.2.1', '2001:db8::1'];
  const { authority, server } = await pair(names, someMs);
  const parsed = read(server);
  assert.deepEqual(namesOfCertificate(server.subjectAltName), names);
  assert.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'serverAuth and nothing else');
  assert.equal(server.ca, false);
  const subjectKeyId = read(authority).getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const issuer = parsed.getExtension(x509.AuthorityKeyIdentifierExtension);
  assert.ok(subjectKeyId !== undefined && issuer?.keyId === subjectKeyId && issuer.certId === undefined);
  assert.ok(parsed.getExtension(x509.SubjectKeyIdentifierExtension));
  assert.ok(serverLifeMs <= 397 * dayMs);
  assert.equal(server.validFromDate.getTime(), someMs - dayMs);
  assert.equal(server.validToDate.getTime(), someMs - dayMs + serverLifeMs);
});

test('serial numbers are random: positive, long, and never the same', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => pair(['localhost'], someMs)));
  const serials = made.flatMap(({ authority, server }) => [authority.serialNumber, server.serialNumber]);
  assert.equal(new Set(serials).size, 40);
  for (const serial of serials) assert.ok(serial.length > 24 && serial.length <= 40, serial);
});

test('a renewed authority keeps subject and key, so older certificates chain to it', async () => {
  const { authority, authorityKey, server } = await pair(['localhost'], someMs);
  const request: { key: KeyObject; hostname: string; previous: X509Certificate; nowMs: number } = {
    key: authorityKey,
    hostname: 'renamed',
    previous: authority,
    nowMs: someMs + 9 * 365 * dayMs,
  };
  const renewed = await issueAuthority(request);
  assert.equal(renewed.subject, authority.subject);
  assert.notEqual(renewed.serialNumber, authority.serialNumber);
  assert.ok(server.checkIssued(renewed) && server.verify(renewed.publicKey));
});

const moments: [string, number][] = [
  ['1970, a clock that was never set', 0],
  ['2045, where the authority ends beyond UTCTime', Date.UTC(2045, 5, 1)],
];

for (const [title, nowMs] of moments) {
  test(`dates are valid in ${title}`, async () => {
    const { authority, server } = await pair(['localhost'], nowMs);
    assert.equal(authority.validToDate.getTime(), nowMs - dayMs + authorityLifeMs);
    assert.equal(server.validFromDate.getTime(), nowMs - dayMs);
  });
}

const hostnames = ['h'.repeat(253), 'with, CN=comma "quoted" + plus', '#00', 'bücher', ''];

for (const hostname of hostnames) {
  test(`the subject accepts the host name ${hostname.slice(0, 30)}`, async () => {
    const { authority, server } = await pair(['localhost'], someMs, hostname);
    const name = authority.toLegacyObject().subject.CN;
    assert.ok(typeof name === 'string');
    assert.ok(name.startsWith(`Sluice CA ${hostname.slice(0, 45)}`) && name.length <= 64, name);
    assert.ok(server.checkIssued(authority) && server.verify(authority.publicKey));
  });
}

test('a certificate holds as many names as the limit allows', async () => {
  const names = Array.from({ length: limits.certificateNames }, (_, i) => `n${i}.example`);
  assert.deepEqual(namesOfCertificate((await pair(names, someMs)).server.subjectAltName), names);
});
