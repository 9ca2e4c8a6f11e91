// Updates of lists as callers see them: progress events, joining a running update, closing the connection,
// held changes that are suspiciously large, and the return to an earlier copy. All tests share one service
// and a list server that can delay its replies.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

import { boot, type Service } from '../running/boot.ts';
import { openHttp2 } from '../running/client.ts';
import { temporaryFolder } from '../running/folder.ts';
import { createServer, request } from '../running/http.ts';
import { runCommand } from '../running/program.ts';
import { at, describe as shown, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { portOf } from './support/service.ts';

const folder = temporaryFolder();
const [big, small] = [join(folder, 'big.txt'), join(folder, 'small.txt')] as const;
const slow = { text: 'slow.example\n', waiting: Promise.withResolvers<void>() };
let service: Service;
let port = 0;

const web = createServer((_asked, reply) => {
  void slow.waiting.promise.then(() => reply.end(slow.text));
});

/** Resolves only the name of the list server. */
const upstream = createSocket('udp4', (bytes, { port: from, address }) => {
  const { id, questions = [] } = decode(bytes);
  const [{ name, type } = { name: '', type: 'A' }] = questions;
  const isKnown = name.toLowerCase() === 'lists.test' && type === 'A';
  const answers = isKnown ? [{ type: 'A', name, ttl: 60, data: '127.0.0.1' } as const] : [];
  upstream.send(
    encode({ type: 'response', id, flags: RECURSION_AVAILABLE, questions, answers }),
    from,
    address,
  );
});

before(async () => {
  slow.waiting.resolve();
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  upstream.bind(0, '127.0.0.1');
  await once(upstream, 'listening');
  service = await boot({
    env: {
      SLUICE_DNS_LISTEN: '127.0.0.1:0',
      SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.address().port}`,
      // Lists are downloaded only when a test requests it.
      SLUICE_LISTS_UPDATE_HOURS: '0',
    },
  });
  port = await portOf(service);
  await service.call('DELETE', `/api/lists/${encodeURIComponent(await defaultAddress())}?type=block`);
  await service.call('POST', '/api/lists?type=block', { body: { address: slowAddress() } });
});
after(async () => {
  web.closeAllConnections();
  web.close();
  upstream.close();
  await service.stop();
});

const defaultAddress = async (): Promise<string> =>
  String(at((await service.call('GET', '/api/lists')).body, 'lists', 1, 'address'));
// The address of a listening TCP server is an object.
const slowAddress = (): string => `http://127.0.0.1:${(web.address() as AddressInfo).port}/slow`;
const addressOf = (file: string): string => `file://${file}`;
const pathOf = (address: string, what = ''): string =>
  `/api/lists/${encodeURIComponent(address)}${what}?type=block`;
const isBlocked = async (name: string): Promise<boolean> => {
  const { answer } = await runQuery('dig', { address: '127.0.0.1', port }, `${name} A`);
  return answer[0]?.endsWith(' 0.0.0.0') === true;
};
const update = (headers: Record<string, string> = {}) =>
  // Existing clients request colours, which the service does not have.
  service.call('POST', '/api/action/gravity?color=true', { headers });
const names = (count: number): string =>
  Array.from({ length: count }, (_, line) => `host-${line}.example\n`).join('');

/** From now on the list server delays all replies. */
const hold = (text: string): void => {
  slow.text = text;
  slow.waiting = Promise.withResolvers();
};

type Watched = { readonly reply: IncomingMessage; readonly text: () => string };

/** A request whose reply is read as it arrives. */
const watch = async (headers: Record<string, string> = {}): Promise<Watched> => {
  const asked = request(`${service.http}/api/action/gravity`, { method: 'POST', agent: false, headers });
  asked.end();
  // The first argument of this event is the reply.
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  reply.setEncoding('utf8').on('data', (part: string) => (text += part));
  return { reply, text: () => text };
};

/** The same over HTTP/2: its text so far. */
const watchHttp2 = async (): Promise<() => string> => {
  const session = await openHttp2(service);
  const asked = { ':method': 'POST', ':path': '/api/action/gravity', ':authority': 'localhost' };
  let text = '';
  const stream = session.request(asked, { endStream: true }).setEncoding('utf8');
  stream.on('data', (part: string) => (text += part)).on('close', () => session.close());
  return () => text;
};

const untilText = (text: () => string, wanted: RegExp) =>
  until(`The reply has ${wanted.source}`, () => (wanted.test(text()) ? true : undefined));

describe('an update', () => {
  test('is reported while it runs as one JSON object, to all callers that join it', async () => {
    hold('one.example\n');
    const first = await watch();
    await untilText(first.text, /"List \d: fetching http:/u);
    assert.doesNotMatch(first.text(), /result/u);
    const [joined, plain, overHttp2] = [
      await watch(),
      await watch({ accept: 'text/plain' }),
      await watchHttp2(),
    ];
    // All callers have joined before the update continues.
    for (const text of [joined.text, plain.text, overHttp2])
      await untilText(text, /List \d: fetching http:/u);
    slow.waiting.resolve();
    for (const text of [first.text, joined.text, overHttp2]) await untilText(text, /"took":[\d.]+\}$/u);
    const body: unknown = JSON.parse(first.text());
    for (const text of [joined.text, overHttp2]) {
      const { took, ...reported } = Object(JSON.parse(text()));
      assert.equal(typeof took, 'number');
      assert.deepEqual(reported, { progress: at(body, 'progress'), result: at(body, 'result') });
    }
    assert.deepEqual(Object.keys(Object(body)), ['progress', 'result', 'took']);
    assert.equal(at(body, 'result', 'problem'), null);
    const { headers, statusCode } = plain.reply;
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    await untilText(plain.text, /^List \d: fetching .*\n(?:.*\n)*\d+ names are in force\nDone\n$/u);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(await isBlocked('one.example'), true);
  });

  test('runs to its end when the caller reads only the headers of the reply', async () => {
    slow.text = 'head.example\n';
    const asked = request(`${service.http}/api/action/gravity`, { method: 'POST', agent: false });
    asked.on('response', (reply) => reply.destroy()).on('error', () => undefined);
    asked.end();
    await until('The name is blocked', async () => ((await isBlocked('head.example')) ? true : undefined));
  });

  test('runs to its end when the caller closes the connection, over HTTP/1.1 and HTTP/2', async () => {
    for (const [version, name] of [1, 2].map((of) => [of, `left-${of}.example`] as const)) {
      hold(`${name}\n`);
      if (version === 1) {
        const { reply, text } = await watch();
        await untilText(text, /fetching http:/u);
        reply.destroy();
      } else {
        const session = await openHttp2(service);
        const asked = { ':method': 'POST', ':path': '/api/action/gravity', ':authority': 'localhost' };
        const stream = session.request(asked, { endStream: true });
        stream.on('error', () => undefined);
        await once(stream, 'data');
        session.destroy();
      }
      slow.waiting.resolve();
      await until(`${name} is blocked`, async () => ((await isBlocked(name)) ? true : undefined));
    }
  });

  test('is shown by sluice lists update, which ends with exit code 1 when a list fails', async () => {
    const good = await runCommand(['lists', 'update'], { dir: service.dir });
    assert.deepEqual([good.code, good.err], [0, ''], good.out);
    assert.match(good.out, /^List \d: fetching .*\n(?:.*\n)*\d+ names are in force\n$/u);
    slow.text = '<!doctype html><html></html>';
    const bad = await runCommand(['lists', 'update'], { dir: service.dir });
    assert.equal(bad.code, 1, bad.out);
    assert.match(bad.out, /page for browsers.*An older copy stays in force/u);
    const messages = await service.call('GET', '/api/info/messages');
    assert.match(String(at(messages.body, 'messages', 0, 'plain')), /page for browsers/u);
    slow.text = 'slow.example\n';
    await update();
    const { body } = await service.call('GET', '/api/info/messages/count');
    assert.equal(at(body, 'count'), 0);
  });
});

test('a list at a name that only the upstream knows is downloaded', async () => {
  const address = slowAddress().replace('127.0.0.1', 'lists.test');
  slow.text = 'far.example\n';
  await service.call('POST', '/api/lists?type=block', { body: { address } });
  assert.equal(at((await service.call('GET', pathOf(address))).body, 'lists', 0, 'status'), 0);
  const { body } = await update();
  assert.equal(at(body, 'result', 'lists', 2, 'problem'), null);
  assert.equal(await isBlocked('far.example'), true);
  await service.call('DELETE', pathOf(address));
});

test('lines of a list that are not rules are shown with number and reason', async () => {
  slow.text = 'ads.example\nbad..example\n||plain.example^$nonsense\nsite.example##.ad\n';
  await update();
  const { body } = await service.call('GET', pathOf(slowAddress(), '/copies'));
  assert.deepEqual(at(body, 'copies', 0, 'samples'), [
    { line: 2, text: 'bad..example', reason: 'not a domain: an empty label' },
    { line: 3, text: '||plain.example^$nonsense', reason: 'an unknown modifier: nonsense' },
    { line: 4, text: 'site.example##.ad', reason: 'a cosmetic rule: it hides parts of a page' },
  ]);
});

describe('a list that changes too much', () => {
  const address = addressOf(big);

  before(async () => {
    writeFileSync(big, names(2000));
    writeFileSync(small, 'first.example\n');
    for (const file of [big, small])
      await service.call('POST', '/api/lists?type=block', { body: { address: addressOf(file) } });
    await until('Both are in force', async () =>
      (await isBlocked('host-1999.example')) && (await isBlocked('first.example')) ? true : undefined,
    );
  });

  test('is held with a message while other lists are updated', async () => {
    writeFileSync(big, names(1000));
    writeFileSync(small, 'second.example\n');
    const { body } = await update();
    assert.match(String(at(body, 'result', 'problem')), /lost more than 30 %.*2000 before, 1000 now/u);
    const numbers = listAt(body, 'result', 'lists').map((list) => at(list, 'number'));
    assert.ok(numbers.includes(2000) && !numbers.includes(1000), `those in force: ${numbers.join()}`);
    assert.deepEqual(
      await Promise.all(['host-1999.example', 'second.example', 'first.example'].map(isBlocked)),
      [true, true, false],
    );
    const messages = listAt((await service.call('GET', '/api/info/messages')).body, 'messages');
    assert.equal(messages.length, 1);
    assert.deepEqual([at(messages[0], 'type'), at(messages[0], 'timestamp') !== undefined], ['LIST', true]);
    assert.match(String(at(messages[0], 'html')), /&#39;|sluice lists accept/u);
    const copies = await service.call('GET', pathOf(address, '/copies'));
    assert.equal(at(copies.body, 'held', 'after'), 1000, shown(copies));
    assert.deepEqual(
      listAt(copies.body, 'copies').map((copy) => [at(copy, 'number'), at(copy, 'in_force')]),
      [
        [1000, false],
        [2000, true],
      ],
    );
    const stored = await service.call('GET', pathOf(address));
    assert.deepEqual(
      ['number', 'held'].map((name) => at(stored.body, 'lists', 0, name)),
      [2000, true],
    );
    const table = await runCommand(['lists'], { dir: service.dir });
    const marked = table.out.split('\n').filter((line) => line.includes('held: see copies'));
    assert.deepEqual([marked.length, marked[0]?.includes(address)], [1, true], table.out);
  });

  test('is no longer held or in the messages after it changes back', async () => {
    writeFileSync(big, names(1900));
    await update();
    const { body } = await service.call('GET', '/api/info/messages/count');
    assert.equal(at(body, 'count'), 0);
    assert.equal(await isBlocked('host-1950.example'), false);
  });

  test('is in force after sluice lists accept', async () => {
    writeFileSync(big, names(5000));
    await update();
    assert.equal(await isBlocked('host-4999.example'), false);
    const reported = await runCommand(['lists', 'copies', address], { dir: service.dir });
    assert.match(reported.err, /more than doubled: 1900 before, 5000 now/u);
    const accepted = await runCommand(['lists', 'accept', address], { dir: service.dir });
    assert.deepEqual(
      [accepted.code, accepted.out],
      [0, `Blocking list "${address}" was accepted.\n`],
      accepted.err,
    );
    assert.equal(await isBlocked('host-4999.example'), true);
    assert.equal(at((await service.call('GET', '/api/info/messages/count')).body, 'count'), 0);
    assert.equal(at((await service.call('GET', pathOf(address))).body, 'lists', 0, 'number'), 5000);
    const again = await service.call('POST', pathOf(address, '/copies:accept'));
    assert.equal(again.status, 404, shown(again));
  });

  test('has an earlier copy in force after :use, until it changes', async () => {
    const copies = listAt((await service.call('GET', pathOf(address, '/copies'))).body, 'copies');
    const older = copies.find((copy) => at(copy, 'number') === 2000);
    const version = String(at(older, 'version'));
    const used = await service.call('POST', pathOf(address, `/copies/${version}:use`));
    assert.equal(used.status, 200, shown(used));
    assert.equal(at(used.body, 'lists', 0, 'number'), 2000);
    await update();
    assert.equal(await isBlocked('host-4999.example'), false, 'An update without a change keeps the copy.');
    assert.equal(await isBlocked('host-1999.example'), true);
    writeFileSync(big, names(2100));
    await update();
    assert.equal(await isBlocked('host-2099.example'), true);
    for (const wrong of ['999', '0', 'x']) {
      const { status } = await service.call('POST', pathOf(address, `/copies/${wrong}:use`));
      assert.equal(status, wrong === '999' ? 404 : 400);
    }
    const none = await runCommand(['lists', 'use', address, '999'], { dir: service.dir });
    assert.deepEqual([none.code, /no whole copy 999/u.test(none.err)], [1, true], none.err);
  });
});

test('DELETE /api/info/messages/{ids} gets 204, and 404 for unknown ids', async () => {
  writeFileSync(big, names(10));
  await update();
  const id = at((await service.call('GET', '/api/info/messages')).body, 'messages', 0, 'id');
  const remove = async (ids: string) => (await service.call('DELETE', `/api/info/messages/${ids}`)).status;
  assert.deepEqual(
    [await remove(`x,${String(id)}`), await remove(String(id)), await remove('x')],
    [204, 404, 404],
  );
});
