import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Certificates } from './certificates.ts';
import { dayMs, type TlsMaterial } from './material.ts';
import { scene, someMs, userPair } from '#testing/tls/scene';

const hourMs = 3_600_000;
const [first, second] = [await userPair('first.example', someMs), await userPair('second.example', someMs)];

/** Collects what the server would be given; the interval is so long that only `check` acts. */
function collect(certificates: Certificates): TlsMaterial[] {
  const changes: TlsMaterial[] = [];
  certificates.watch(hourMs, (material) => changes.push(material));
  return changes;
}

test('without configured files the self-issued certificate is served, with all names', async (t) => {
  const { open, reports } = await scene(t, someMs);
  const { current } = await open({ hosts: ['dns.example'] });
  assert.equal(current.source, 'own');
  for (const name of [
    'localhost',
    'box',
    'box.local',
    'sluice.internal',
    'dns.example',
    '192.0.2.7',
    '::1',
  ]) {
    assert.ok(current.names.includes(name), name);
  }
  assert.deepEqual(reports, []);
});

test('the self-issued certificate is renewed at the boundary, and not a moment before', async (t) => {
  const { open, clock } = await scene(t, someMs);
  const certificates = await open();
  const changes = collect(certificates);
  const dueMs = certificates.current.notAfterMs - 30 * dayMs;
  for (const [nowMs, count] of [
    [someMs + 1, 0],
    [dueMs - hourMs, 0],
    [dueMs - 1, 0],
    [dueMs + hourMs - 1, 1],
    [dueMs + 2 * hourMs, 1],
  ] as const) {
    clock.nowMs = nowMs;
    await certificates.check();
    assert.equal(changes.length, count, `${nowMs - dueMs} ms after the boundary`);
  }
  assert.equal(changes[0]?.fingerprint256, certificates.current.fingerprint256);
  assert.ok((changes[0]?.notAfterMs ?? 0) > dueMs + 80 * dayMs);
});

test('a new address is added at the next check; a removed one changes nothing', async (t) => {
  const { open, addresses } = await scene(t, someMs);
  const certificates = await open();
  const changes = collect(certificates);
  addresses.push('2001:DB8::5', 'fe80::5');
  await certificates.check();
  assert.deepEqual(changes[0]?.names.slice(-1), ['2001:db8::5']);
  addresses.length = 0;
  await certificates.check();
  assert.equal(changes.length, 1);
});

test('a clock that is set back is detected at the next check', async (t) => {
  const { open, clock } = await scene(t, someMs + 1000 * dayMs);
  const certificates = await open();
  clock.nowMs = someMs;
  await certificates.check();
  assert.ok(certificates.current.notBeforeMs <= someMs);
});

test('a machine that starts with a wrong clock gets a valid certificate when it is right', async (t) => {
  const { open, clock } = await scene(t, 1000);
  const certificates = await open();
  const changes = collect(certificates);
  const authority = certificates.current.caCert;
  clock.nowMs = someMs;
  await certificates.check();
  assert.equal(changes.length, 1);
  assert.ok(certificates.current.notBeforeMs < someMs && certificates.current.notAfterMs > someMs);
  assert.notEqual(certificates.current.caCert, authority);
});

test('a configured certificate is loaded, and loaded again when its files change', async (t) => {
  const { open, place, certFile, keyFile, reports } = await scene(t, someMs);
  await place(first);
  const certificates = await open({ certFile, keyFile });
  const changes = collect(certificates);
  assert.deepEqual([certificates.current.source, certificates.current.names], ['user', ['first.example']]);
  await certificates.check();
  assert.equal(changes.length, 0);
  await place(second);
  await certificates.check();
  assert.deepEqual(changes[0]?.names, ['second.example']);
  assert.deepEqual(reports, []);
});

test('files that are replaced one after the other cause no failure', async (t) => {
  const { open, place, certFile, keyFile, reports } = await scene(t, someMs);
  await place(first);
  const certificates = await open({ certFile, keyFile });
  await writeFile(`${certFile}.new`, second.cert);
  await rename(`${certFile}.new`, certFile);
  await certificates.check();
  assert.deepEqual(certificates.current.names, ['first.example']);
  await writeFile(keyFile, second.key);
  await certificates.check();
  assert.deepEqual(certificates.current.names, ['second.example']);
  assert.deepEqual(reports, []);
});

test('a broken new file is reported once; the old one is served until it is repaired', async (t) => {
  const { open, place, certFile, keyFile, reports } = await scene(t, someMs);
  await place(first);
  const certificates = await open({ certFile, keyFile });
  const changes = collect(certificates);
  const breaks = [
    () => writeFile(certFile, 'broken'),
    () => writeFile(keyFile, second.key),
    () => rm(certFile),
  ];
  for (const [index, damage] of breaks.entries()) {
    await place(first);
    await certificates.check();
    await damage();
    for (let i = 0; i < 4; i += 1) await certificates.check();
    assert.equal(reports.length, index + 1);
    assert.equal(reports[index]?.level, 'error');
  }
  assert.equal(changes.length, 0);
  await place(second);
  await certificates.check();
  assert.deepEqual(
    changes.map(({ names }) => names),
    [['second.example']],
  );
});

test('a configured certificate that is broken at start is replaced by the self-issued one', async (t) => {
  const { open, place, certFile, keyFile, reports, clock } = await scene(t, someMs);
  await place({ ...first, key: second.key });
  const certificates = await open({ certFile, keyFile });
  const changes = collect(certificates);
  assert.equal(certificates.current.source, 'own');
  assert.match(reports[0]?.problem ?? '', /does not belong/);
  clock.nowMs += 2 * hourMs;
  await certificates.check();
  await certificates.check();
  assert.deepEqual([reports.length, changes.length], [1, 0]);
  await place(first);
  await certificates.check();
  assert.deepEqual([changes[0]?.source, changes[0]?.names], ['user', ['first.example']]);
});

test('with only one of the two files set, the self-issued one is served, with a report', async (t) => {
  const { open, certFile, reports } = await scene(t, someMs);
  assert.equal((await open({ certFile })).current.source, 'own');
  assert.match(reports[0]?.problem ?? '', /no key file/);
});

test('a configured certificate that expires is still served, with one warning', async (t) => {
  const { open, place, certFile, keyFile, reports, clock } = await scene(t, someMs);
  await place(first);
  const certificates = await open({ certFile, keyFile });
  clock.nowMs = certificates.current.notAfterMs + 1;
  for (let i = 0; i < 3; i += 1) await certificates.check();
  assert.equal(certificates.current.source, 'user');
  assert.deepEqual(
    reports.map(({ level }) => level),
    ['warning'],
  );
  await open({ certFile, keyFile });
  assert.equal(reports.length, 2, 'a start with an expired certificate warns too');
});

test('reconfiguring to files, to a broken pair, and back to self-issued with a new name works', async (t) => {
  const { open, place, certFile, keyFile, reports } = await scene(t, someMs);
  await place(first);
  const certificates = await open();
  const changes = collect(certificates);
  const toUser = await certificates.reconfigure({ certFile, keyFile, hosts: [] });
  assert.ok(toUser.ok && toUser.value === certificates.current && toUser.value.source === 'user');
  const broken = await certificates.reconfigure({ certFile: '/nowhere', keyFile, hosts: [] });
  assert.ok(!broken.ok && broken.problem.includes('/nowhere'));
  assert.equal(certificates.current.source, 'user', 'the old one stays');
  assert.equal(reports.length, 1);
  const own = await certificates.reconfigure({ certFile: '', keyFile: '', hosts: ['new.example'] });
  assert.ok(own.ok && own.value.source === 'own' && own.value.names.includes('new.example'));
  assert.deepEqual(
    changes.map(({ source }) => source),
    ['user', 'own'],
  );
});

test('new names take effect although the new configured files are broken', async (t) => {
  const { open, certFile, keyFile } = await scene(t, someMs);
  const certificates = await open();
  await certificates.reconfigure({ certFile, keyFile, hosts: ['new.example'] });
  await certificates.check();
  assert.ok(certificates.current.names.includes('new.example'));
});

test('the timer detects a change; after close nothing is called any more', async (t) => {
  const { open, addresses } = await scene(t, someMs);
  const certificates = await open();
  const changed = Promise.withResolvers<TlsMaterial>();
  certificates.watch(5, (material) => changed.resolve(material));
  addresses.push('192.0.2.99');
  assert.ok((await changed.promise).names.includes('192.0.2.99'));
  const late: TlsMaterial[] = [];
  certificates.watch(5, (material) => late.push(material));
  addresses.push('192.0.2.100');
  const check = certificates.check();
  await certificates.close();
  await check;
  certificates.watch(1, (material) => late.push(material));
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(late, []);
});

test('an error in onChange is reported once, and the timer continues', async (t) => {
  const { open, addresses, reports } = await scene(t, someMs);
  const certificates = await open();
  const calls = Promise.withResolvers<void>();
  let count = 0;
  certificates.watch(2, () => {
    count += 1;
    addresses.push(`192.0.2.${count + 100}`);
    if (count === 3) calls.resolve();
    throw new Error('no such context');
  });
  addresses.push('192.0.2.99');
  await calls.promise;
  await certificates.close();
  assert.match(reports[0]?.problem ?? '', /could not be checked \(no such context\)/);
  assert.equal(reports.length, 1);
});

test('open fails with a value when a self-issued certificate can neither be loaded nor issued', async (t) => {
  const { options, folder, certFile } = await scene(t, someMs);
  await writeFile(certFile, 'a file where a folder should be');
  const opened = await Certificates.open({ ...options, folder: join(certFile, 'tls') });
  assert.ok(!opened.ok && opened.problem.includes(join(certFile, 'tls')));
  assert.notEqual(folder, certFile);
});

test('names that cannot be in a certificate are reported once', async (t) => {
  const { open, reports, clock } = await scene(t, someMs);
  const certificates = await open({ hosts: ['not a name'] });
  clock.nowMs += 2 * hourMs;
  await certificates.check();
  assert.deepEqual(
    reports.map(({ level }) => level),
    ['warning'],
  );
  assert.match(reports[0]?.problem ?? '', /not a name\. Correct the setting web\.hosts/);
});
