import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadEntry } from '#testing/service/thread-entry';
import { directIssuer, issuerInThread, newPrivateKey } from '#platform/tls';
import { someMs } from '#testing/tls/scene';

const issuer = issuerInThread(threadEntry('certificate'));

test('a thread issues the same certificates as a direct call', async () => {
  const authorityKey = newPrivateKey();
  const authority = await issuer.authority({
    key: authorityKey,
    hostname: 'box',
    previous: undefined,
    nowMs: someMs,
  });
  assert.ok(authority.ca && authority.checkPrivateKey(authorityKey));
  const key = newPrivateKey();
  const request = {
    key,
    hostname: 'box',
    names: ['localhost', '::1'],
    authorityKey,
    authority,
    nowMs: someMs,
  };
  const [inThread, direct] = await Promise.all([issuer.server(request), directIssuer.server(request)]);
  assert.ok(inThread.checkPrivateKey(key) && inThread.checkIssued(authority));
  assert.equal(inThread.subjectAltName, direct.subjectAltName);
  assert.equal(inThread.validTo, direct.validTo);
});

test('a renewed authority keeps its subject', async () => {
  const key = newPrivateKey();
  const previous = await issuer.authority({ key, hostname: 'box', previous: undefined, nowMs: someMs });
  const renewed = await issuer.authority({ key, hostname: 'other', previous, nowMs: someMs });
  assert.equal(renewed.subject, previous.subject);
});

test('a thread that throws rejects the request', async () => {
  const broken = issuerInThread(new URL('data:text/javascript,throw new Error("no")'));
  await assert.rejects(
    broken.authority({ key: newPrivateKey(), hostname: 'box', previous: undefined, nowMs: someMs }),
    /no/,
  );
});
