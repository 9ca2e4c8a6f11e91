// GET /api/events of the running service: over every transport, filtered, resumed, and for as long as the
// session lasts. A slow reader is dropped, one stream too many is refused, and every stream ends with a
// reason when the service restarts or stops. All tests share one service; the last one restarts and stops it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { openClient } from './front-door/support/client.ts';
import * as door from './front-door/support/session.ts';
import { sendQuery, dnsPort, localName, patienceMs } from './running/dns-service.ts';
import { openEvents, type EventOptions, type EventReader } from './running/event-stream.ts';
import { launch, runCommand } from './running/program.ts';
import { assertError, at, describe as shown, listAt } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const service = await door.bootWithStoredPassword({
  env: {
    SLUICE_WEB_HTTPS: '127.0.0.1:0',
    SLUICE_DNS_LISTEN: '127.0.0.1:0',
    SLUICE_DNS_HOSTS: `192.0.2.7 ${localName}`,
    SLUICE_DNS_WORKERS: '1',
  },
});
after(() => (service.hasEnded() ? undefined : service.stop()));
const local = openClient(service, { via: 'control' });
const client = openClient(service);
const session = await door.openSession(client);
const headers = door.bySid(session);

const open = (query = '', options: EventOptions = {}): Promise<EventReader> =>
  openEvents(service, query, { headers, ...options });

let passwordNow = door.password;
let made = 0;
const makeGroup = async (): Promise<string> => {
  const name = `group ${++made}`;
  const reply = await local.send('POST', '/api/groups', { body: { name } });
  assert.equal(reply.status, 201, shown(reply));
  return name;
};
const names = (name: string) => (data: unknown) => at(data, 'changes', 0, 'name') === name;
const reasonOf = async (reader: EventReader): Promise<unknown> =>
  at((await reader.seen('end')).data, 'reason');

describe('GET /api/events', () => {
  for (const via of ['http', 'https', 'h2', 'control'] as const)
    test(`over ${via} sends a change as it happens`, async () => {
      const reader = await open('', { via });
      assert.equal(reader.status, 200);
      assert.equal(reader.headers['content-type'], 'text/event-stream');
      assert.equal(reader.headers['cache-control'], 'no-store');
      const hello = await reader.seen('hello');
      const name = await makeGroup();
      const { id, data } = await reader.seen('policy.changed', names(name));
      assert.notEqual(id, hello.id);
      assert.deepEqual(Object.keys(Object(data)), ['time', 'version', 'changes', 'left_out']);
      assert.ok(Number(at(data, 'time')) <= Date.now() / 1000);
      assert.deepEqual(Object.keys(Object(at(data, 'changes', 0))), ['entity', 'id', 'name', 'change']);
      reader.close();
    });

  test('sends only the requested types, and refuses an unknown type with 400', async () => {
    const reader = await open('?types=settings,blocking');
    const name = await makeGroup();
    for (const blocking of [false, true])
      await local.send('POST', '/api/dns/blocking', { body: { blocking, timer: blocking ? null : 60 } });
    await reader.seen('blocking.changed', (data) => at(data, 'blocking') === true);
    const [off] = reader.events().filter((event) => event.name === 'blocking.changed');
    assert.deepEqual([at(off?.data, 'blocking'), at(off?.data, 'timer')], [false, 60]);
    await reader.seen('settings.changed', (data) => at(data, 'changes', 0, 'after') === false);
    assert.ok(!reader.text().includes(name));
    reader.close();
    const refused = await client.send('GET', '/api/events?types=lists,dogs', { headers });
    assertError(refused, { status: 400, message: 'Invalid parameter', hint: /"dogs" is none of queries, / });
    const unknown = await client.send('GET', '/api/events?status=BARKED', { headers });
    assertError(unknown, { status: 400, message: 'Requested status is invalid', hint: 'BARKED' });
  });

  test('sends changes of pauses, domains and clients', async () => {
    const reader = await open('?types=policy,blocking');
    await local.send('POST', '/api/domains/deny/exact', { body: { domain: 'ads.example' } });
    await local.send('POST', '/api/clients', { body: { client: '192.0.2.9' } });
    await local.send('POST', '/api/dns/blocking', { body: { blocking: false, client: '192.0.2.9' } });
    await reader.seen('blocking.changed', (data) => at(data, 'pauses') === 1);
    const rows = reader.events().map(({ data }) => at(data, 'changes', 0));
    const changes = rows.map((row) => [at(row, 'entity'), at(row, 'name'), at(row, 'change')].join(' '));
    for (const text of ['domain ads.example created', 'client 192.0.2.9 created', 'pause 192.0.2.9 created'])
      assert.ok(changes.includes(text), changes.join());
    reader.close();
  });

  test('sends queries in batches, narrowed by domain, client and upstream', async () => {
    const reader = await open('?types=queries');
    const narrowed = await open('?types=queries&domain=ADS.*&client=127.0.0.*&upstream=blocklist');
    await reader.seen('hello');
    await narrowed.seen('hello');
    const port = await dnsPort(service);
    for (const name of [localName, 'ads.example']) assert.equal(await sendQuery(port, name), 0);
    const found = (domain: string) => (data: unknown) =>
      listAt(data, 'queries').some((row) => at(row, 'domain') === domain);
    const { data } = await reader.seen('queries', found('ads.example'));
    await reader.seen('queries', found(localName));
    const row = listAt(data, 'queries').find((one) => at(one, 'domain') === 'ads.example');
    const { id, time, reply, client: asker, list_id, ...rest } = Object(row);
    assert.deepEqual(rest, { type: 'A', domain: 'ads.example', upstream: null, status: 'DENYLIST' });
    assert.equal(asker.ip, '127.0.0.1');
    assert.ok(asker.name === null || asker.name === 'localhost', asker.name);
    const logged = await local.send('GET', '/api/queries?domain=ads.example');
    assert.deepEqual(at(logged.body, 'queries', 0, 'id'), id, 'as in the log');
    const few = await narrowed.seen('queries', found('ads.example'));
    assert.deepEqual(
      listAt(few.data, 'queries').map((one) => at(one, 'domain')),
      ['ads.example'],
    );
    narrowed.close();
    assert.ok(list_id > 0, 'the id of the rule that decided');
    assert.ok(time <= Date.now() / 1000 && reply.type === 'IP' && reply.time >= 0);
    reader.close();
  });
});

describe('GET /api/events after a lost connection', () => {
  for (const way of ['header', 'query'] as const)
    test(`sends the missed events when the last event id comes by ${way}`, async () => {
      const before = await open('?types=policy');
      const { id } = await before.seen('hello');
      before.close();
      const missed = await makeGroup();
      const again = await (way === 'header'
        ? open('?types=policy', { headers: { ...headers, 'Last-Event-ID': id } })
        : open(`?types=policy&lastEventId=${id}`));
      await again.seen('policy.changed', names(missed));
      assert.ok(again.events().every(({ name }) => name !== 'lost'));
      again.close();
    });

  test('sends `lost` for an unknown event id', async () => {
    const reader = await open('?types=policy', { headers: { ...headers, 'Last-Event-ID': 'another-7' } });
    const { data } = await reader.seen('lost');
    assert.equal(at(data, 'after'), 'another-7');
    reader.close();
  });
});

describe('a session that reads events', () => {
  test('is required: 401 without one, 200 with one in header, query or cookie', async () => {
    const cases = [
      ['', {}, 401],
      ['', { cookie: `sid=${session.sid}` }, 401],
      [`?sid=${encodeURIComponent(session.sid)}x`, {}, 401],
      [`?sid=${encodeURIComponent(session.sid)}`, {}, 200],
      ['', door.byCookie(session), 200],
    ] as const;
    for (const [query, carried, status] of cases) {
      const reader = await openEvents(service, query, { headers: carried });
      assert.equal(reader.status, status, query + JSON.stringify(carried));
      reader.close();
    }
  });

  test('ends its streams when it is logged out or deleted', async () => {
    const app = await door.createApp(service, 'script');
    const sessions = [await door.openSession(client), await door.openSession(client)];
    const script = await door.openSession(client, app.password);
    const readers = await Promise.all(
      [...sessions, script].map((one) => open('?types=messages', { headers: door.bySid(one) })),
    );
    const [first] = sessions;
    assert.ok(first !== undefined);
    await client.send('DELETE', '/api/auth', { headers: door.bySid(first) });
    const rows = await door.sessionsOf(service);
    const second = rows.filter((row) => at(row, 'app') === false).at(-1);
    await local.send('DELETE', `/api/auth/session/${Number(at(second, 'id'))}`);
    await local.send('DELETE', `/api/auth/app/${app.id}`);
    for (const reader of readers) {
      assert.equal(await reasonOf(reader), 'session');
      await within('The stream ends', patienceMs, reader.ended);
    }
  });

  test('may have 16 streams; the next is refused with 429', async () => {
    const one = door.bySid(await door.openSession(client));
    const readers: EventReader[] = [];
    for (let count = 0; count < 16; count++) readers.push(await open('?types=messages', { headers: one }));
    assert.ok(readers.every(({ status }) => status === 200));
    const refused = await client.send('GET', '/api/events', { headers: one });
    assertError(refused, { status: 429, hint: /^This session has 16 streams of events: close one/ });
    assert.ok(refused.headers['retry-after'] !== undefined);
    readers.pop()?.close();
    const again = await until('A stream can be opened again', async () => {
      const reader = await open('?types=messages', { headers: one });
      return reader.status === 200 ? reader : undefined;
    });
    for (const reader of [...readers, again]) reader.close();
  });

  test('ends when the password changes, and the event does not contain the password', async () => {
    const control = await open('?types=settings', { via: 'control' });
    const mine = await open('?types=settings', { headers: door.bySid(await door.openSession(client)) });
    passwordNow = 'another password';
    await door.setPassword(service, passwordNow);
    const isPassword = (data: unknown): boolean => at(data, 'changes', 0, 'key') === 'auth.password';
    const { data } = await control.seen('settings.changed', isPassword);
    assert.deepEqual(
      [at(data, 'changes', 0, 'before'), at(data, 'changes', 0, 'after')],
      ['********', '********'],
    );
    assert.doesNotMatch(control.text(), /another|argon2/);
    assert.equal(await reasonOf(mine), 'session');
    control.close();
  });
});

test('a stream that is not read is ended with reason `slow`, and other streams continue', async () => {
  const [slow, quick] = [
    await open('?types=policy', { via: 'h2', isPaused: true, headers: await freshHeaders() }),
    await open('?types=policy', { via: 'control' }),
  ];
  for (let batch = 0; batch < 16; batch++) {
    const domain = Array.from(
      { length: 130 },
      (_, n) => `${'x'.repeat(60)}.${'y'.repeat(60)}.b${batch}.n${n}`,
    );
    const reply = await local.send('POST', '/api/domains/allow/exact', { body: { domain } });
    assert.equal(reply.status, 201, shown(reply));
  }
  const isLast = (data: unknown): boolean => String(at(data, 'changes', 0, 'name')).endsWith('.b15.n0');
  await quick.seen('policy.changed', isLast);
  quick.close();
  slow.resume();
  await within('The slow stream ends', patienceMs, slow.ended);
  assert.equal(await reasonOf(slow), 'slow');
  assert.ok(slow.events().length < 16);
});

test('sluice events prints one line for each event, and JSON with --json', async () => {
  const wrong = await runCommand(['events', '--types', 'dogs'], { dir: service.dir });
  assert.deepEqual([wrong.code, wrong.out], [2, '']);
  assert.match(wrong.err, /There is no type "dogs"/);
  const people = launch(['events', '--types', 'policy'], { dir: service.dir });
  const scripts = launch(['events', '--types', 'policy', '--json'], { dir: service.dir });
  const lines = (text: string) => text.split('\n').filter((line) => line.includes('"group'));
  await until('Both print', async () => {
    await makeGroup();
    return lines(people.out()).length > 0 && lines(scripts.out()).length > 0 ? true : undefined;
  });
  assert.match(
    lines(people.out())[0] ?? '',
    /^\d\d:\d\d:\d\d {2}policy\.changed +group \d+ "group \d+" created$/,
  );
  assert.equal(at(JSON.parse(lines(scripts.out())[0] ?? ''), 'event'), 'policy.changed');
  for (const running of [people, scripts]) running.signal('SIGINT');
  await within('Ctrl-C ends them', patienceMs, Promise.all([people.ended, scripts.ended]));
});

test('streams end with reason `restarting` or `stopping`, and can be resumed', async () => {
  const over = await freshHeaders();
  const [one, two] = [await open('', { headers: over }), await open('', { via: 'h2', headers: over })];
  const { id } = await one.seen('hello');
  const restarted = await runCommand(['restart'], { dir: service.dir });
  assert.equal(restarted.code, 0, restarted.err);
  for (const reader of [one, two]) {
    await within('The stream ends', patienceMs, reader.ended);
    assert.equal(await reasonOf(reader), 'restarting');
    assert.match(reader.text(), /\nretry: 500\nevent: end\n/);
  }
  const again = await open('', { headers: { ...over, 'Last-Event-ID': id } });
  await again.seen('lost');
  const commanded = launch(['events'], { dir: service.dir });
  await makeGroup();
  await until('The command reads events', async () => {
    await makeGroup();
    return commanded.out() === '' ? undefined : true;
  });
  await service.stop();
  assert.equal(await reasonOf(again), 'stopping');
  const { code } = await within('The command ends', patienceMs, commanded.ended);
  assert.equal(code, 1);
  assert.match(commanded.log(), /The service is stopping/);
});

/** Headers of a new session. */
async function freshHeaders(): Promise<Readonly<Record<string, string>>> {
  return door.bySid(await door.openSession(client, passwordNow));
}
