// Simulations: what other rules and lists would have done with past queries. One service, a few queries,
// lists as files.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import type { Service } from './running/boot.ts';
import { sendQuery, bootWithDns, dnsEnvironment } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { temporaryFolder } from './running/folder.ts';
import { createServer } from './running/http.ts';
import { runCommand } from './running/program.ts';
import { at, describe as shown, listAt, type Reply } from './running/reply.ts';
import { until } from './running/waiting.ts';

const asked = { 'ads.example': 3, 'tracker.example': 2, 'news.example': 4, 'cdn.example': 1 };

const longRegexes = Array.from({ length: 17 }, (_, number) => ({
  domain: `^${number}${'a'.repeat(4_000)}`,
  type: 'deny',
  kind: 'regex',
}));

let service: Service;
let subscribed = '';
let other = '';

const get = async (path: string): Promise<Reply> => {
  const reply = await service.call('GET', path);
  assert.equal(reply.status, 200, shown(reply));
  return reply;
};

const simulate = async (body: object): Promise<unknown> => {
  const reply = await service.call('POST', '/api/simulate', { body });
  assert.equal(reply.status, 200, shown(reply));
  return reply.body;
};

const namesOf = (body: unknown, part: string): Record<string, number> =>
  Object.fromEntries(
    listAt(body, part, 'top_domains').map((one) => [String(at(one, 'domain')), Number(at(one, 'count'))]),
  );

const prepare = async (t: TestContext): Promise<void> => {
  const folder = temporaryFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name)).href;
  };
  subscribed = file('one.txt', 'ads.example\ntracker.example\n');
  other = file('two.txt', '||news.example^\nads.example\n');
  const upstream = await startUpstream(t, 0);
  const env = { ...dnsEnvironment(upstream.port), SLUICE_DNS_WORKERS: '1' };
  const started = await bootWithDns(t, { env });
  service = started.service;
  const { port } = started;
  await service.call('POST', '/api/lists?type=block', { body: { address: subscribed } });
  await until('The list is in force', async () => {
    const { body } = await service.call('GET', '/api/explain?domain=ads.example&resolve=false');
    return at(body, 'verdict') === 'block' ? true : undefined;
  });
  for (const [name, times] of Object.entries(asked))
    for (let i = 0; i < times; i++) assert.equal(await sendQuery(port, name), 0);
};

test('a simulation', async (t) => {
  await prepare(t);
  await t.test('counts queries that a rule would block, or that a list alone blocks', async () => {
    const rule = { domain: '*.example', type: 'deny', kind: 'exact' };
    const blocked = await simulate({ rules: { add: [rule] } });
    assert.equal(at(blocked, 'queries'), 10);
    assert.deepEqual([at(blocked, 'blocked_before'), at(blocked, 'blocked_after')], [5, 10]);
    assert.deepEqual(namesOf(blocked, 'blocked'), { 'news.example': 4, 'cdn.example': 1 });
    const [client, ...others] = listAt(blocked, 'blocked', 'top_clients');
    assert.deepEqual([at(client, 'ip'), at(client, 'count'), others.length], ['127.0.0.1', 5, 0]);
    assert.equal(at(blocked, 'blocked', 'top_domains', 0, 'by'), '*.example');
    const freed = await simulate({ lists: { remove: [{ address: subscribed }] } });
    assert.deepEqual(namesOf(freed, 'freed'), { 'ads.example': 3, 'tracker.example': 2 });
    assert.deepEqual([at(freed, 'blocked', 'queries'), at(freed, 'truncated')], [0, false]);
  });

  await t.test('applies a rule for one client to the queries of this client only', async () => {
    for (const [client, count] of [
      ['127.0.0.1', 5],
      ['127.0.0.0/8', 5],
      ['127.0.0.2', 0],
      ['!127.0.0.1', 0],
    ] as const) {
      const rule = { domain: `*.example;client=${client}`, type: 'deny', kind: 'exact' };
      const body = await simulate({ rules: { add: [rule] } });
      assert.equal(at(body, 'blocked', 'queries'), count, client);
    }
  });

  await t.test('downloads a list and leaves no trace of it', async () => {
    const body = await simulate({ lists: { add: [{ address: other }] }, count: 1 });
    assert.deepEqual(namesOf(body, 'blocked'), { 'news.example': 4 });
    assert.equal(at(body, 'blocked', 'top_domains', 0, 'by'), other);
    const left = readdirSync(join(service.dir, 'lists')).filter((name) => name.startsWith('simulated'));
    assert.deepEqual(left, []);
    assert.equal(
      listAt((await get('/api/lists')).body, 'lists').filter((list) => at(list, 'address') === other).length,
      0,
    );
  });

  await t.test('finds an allow list by its address alone', async () => {
    const { body } = await service.call('POST', '/api/lists?type=allow', {
      body: { address: other, enabled: false },
    });
    const remove = [{ address: other }];
    assert.equal(at(await simulate({ lists: { remove } }), 'queries'), 10);
    await service.call('DELETE', `/api/lists/${encodeURIComponent(other)}?type=allow`);
    assert.equal(at(body, 'lists', 0, 'type'), 'allow');
  });

  await t.test('with an invalid body is refused, and the hint says why', async () => {
    for (const [body, status, hint] of [
      [{ rules: { add: [{ domain: 'a b', type: 'deny', kind: 'exact' }] } }, 400, /./],
      [{ rules: { remove: [{ domain: 'no.example', type: 'deny', kind: 'exact' }] } }, 404, /no rule/],
      [{ rules: { add: longRegexes } }, 400, /65536 characters/],
      [{ lists: { remove: [{ id: 4711 }] } }, 404, /no list 4711/],
      [{ lists: { add: [{ type: 'block' }] } }, 400, /id or by its address/],
      [{ lists: { add: [{ address: `${other}.missing` }] } }, 402, /^"file:[^:]*missing: (?!file:)/],
      [{ rules: { add: [{ domain: 'a.example', type: 'deny', kind: 'exact', groups: [99] }] } }, 400, /99/],
    ] as const) {
      const reply = await service.call('POST', '/api/simulate', { body });
      assert.equal(reply.status, status, shown(reply));
      assert.match(JSON.stringify(at(reply.body, 'error', 'hint')), hint);
    }
  });

  await t.test('refuses a second simulation with 429 while one runs', async () => {
    // The first one waits for a list, which its server sends only after the second one was refused.
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    const web = createServer((_asked, reply) => {
      void mayAnswer.then(() => reply.end('slow.example\n'));
    }).listen(0, '127.0.0.1');
    t.after(() => web.close());
    const hasCome = once(web, 'request');
    await once(web, 'listening');
    // The address of a listening TCP server is an object.
    const { port } = web.address() as AddressInfo;
    const first = service.call('POST', '/api/simulate', {
      body: { lists: { add: [{ address: `http://127.0.0.1:${port}/list.txt` }] } },
    });
    await hasCome;
    const second = await service.call('POST', '/api/simulate', { body: { rules: { remove: [] } } });
    answer();
    assert.deepEqual([second.status, (await first).status], [429, 200], shown(second));
  });

  await t.test('is printed by sluice simulate', async () => {
    const { code, out } = await runCommand(
      ['simulate', '--deny', 'news.example', '--without-list', subscribed],
      {
        dir: service.dir,
      },
    );
    assert.equal(code, 0);
    assert.match(out, /4 +news\.example +news\.example/);
    assert.match(out, /3 +ads\.example/);
  });

  await t.test('agrees with the counts of GET /api/stats/lists', async () => {
    // The request has one second including the start of its thread, and reports when that was too short.
    const body = await until('All queries are counted', async () => {
      const { status, body: found } = await service.call('GET', '/api/stats/lists');
      return status === 200 && at(found, 'truncated') === false ? found : undefined;
    });
    const list = listAt(body, 'lists').find((one) => at(one, 'address') === subscribed);
    assert.deepEqual(
      ['hits', 'blocked', 'matches', 'only', 'overridden'].map((field) => at(list, field)),
      [5, 5, 5, 5, 0],
      JSON.stringify(body),
    );
  });
});
