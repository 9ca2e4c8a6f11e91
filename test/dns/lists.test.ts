// Lists from end to end: subscribed through the API, downloaded, compiled, and applied to real queries. They
// stay in force over a restart and when a list cannot be downloaded. All tests share one service; each uses
// its own names and undoes what affects others.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { temporaryFolder } from '../running/folder.ts';
import { createServer } from '../running/http.ts';
import { at } from '../running/reply.ts';
import type { Service } from '../running/boot.ts';
import { until } from '../running/waiting.ts';
import { runQuery, runQueries, type Seen } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const begin = async (t: TestContext) => {
  const upstream = await startNamedUpstream(t, 0);
  const service = await bootDns(t, { env: { SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}` } });
  const port = await portOf(service);
  const dig = (question: string): Promise<Seen> => runQuery('dig', { address: '127.0.0.1', port }, question);
  const addresses = async (...names: readonly string[]): Promise<readonly string[]> => {
    const questions = names.map((name) => `${name} A`);
    return (await runQueries('dig', { address: '127.0.0.1', port }, questions)).map(
      ({ answer }) => answer[0]?.split(' ').at(-1) ?? '',
    );
  };
  const address = async (name: string): Promise<string> => (await addresses(name))[0] ?? '';
  return { service, dig, address, addresses };
};

type Scene = Awaited<ReturnType<typeof begin>>;

const blocked = '0.0.0.0';
const free = '192.0.2.1';

const subscribe = (service: Service, address: string, type = 'block') =>
  service.call('POST', `/api/lists?type=${type}`, { body: { address } });

const untilAddress = (read: () => Promise<string>, wanted: string) =>
  until(`The answer is ${wanted}`, async () => ((await read()) === wanted ? true : undefined));

const builtIn = async (scene: Scene): Promise<void> => {
  const { dig, address } = scene;
  await untilAddress(() => address('x.doubleclick.net'), blocked);
  const { text } = await dig('doubleclick.net A');
  assert.match(text, /EDE: 15 \(Blocked\): \(Well-known advertising/u);
  assert.equal(await address('www.example.org'), free);
};

const fromFile = async (scene: Scene): Promise<void> => {
  const { service, address, addresses } = scene;
  const file = join(temporaryFolder(), 'list.txt');
  writeFileSync(file, '0.0.0.0 ads.example.org\n||wide.example.net^\n@@||good.wide.example.net^\n');
  assert.equal((await subscribe(service, `file://${file}`)).status, 201);
  await untilAddress(() => address('ads.example.org'), blocked);
  assert.deepEqual(await addresses('sub.ads.example.org', 'a.wide.example.net', 'good.wide.example.net'), [
    free,
    blocked,
    free,
  ]);
  const stored = await service.call('GET', `/api/lists/${encodeURIComponent(`file://${file}`)}`);
  assert.equal(at(stored.body, 'lists', 0, 'number'), 3);
  assert.equal(at(stored.body, 'lists', 0, 'status'), 1);

  const path = `/api/lists/${encodeURIComponent(`file://${file}`)}?type=block`;
  await service.call('PUT', path, { body: { enabled: false } });
  assert.equal(await address('ads.example.org'), free, 'A disabled list is out of force at once.');
  await service.call('PUT', path, { body: { enabled: true } });
  await untilAddress(() => address('ads.example.org'), blocked);
  assert.equal((await service.call('DELETE', path)).status, 204);
  assert.equal(await address('ads.example.org'), free);
};

const ownRules = async (scene: Scene): Promise<void> => {
  const { service, address, addresses } = scene;
  await untilAddress(() => address('x.doubleclick.net'), blocked);
  await service.call('POST', '/api/domains/allow/exact', { body: { domain: 'x.doubleclick.net' } });
  assert.equal(await address('x.doubleclick.net'), free);
  assert.equal(await address('y.doubleclick.net'), blocked);
  await service.call('POST', '/api/domains/deny/regex', { body: { domain: '^ad[0-9]+\\.' } });
  assert.equal(await address('ad7.example.org'), blocked);
  await service.call('POST', '/api/dns/blocking', { body: { blocking: false } });
  assert.deepEqual(await addresses('y.doubleclick.net', 'ad7.example.org'), [free, free]);
  await service.call('POST', '/api/dns/blocking', { body: { blocking: true } });
  assert.equal(await address('y.doubleclick.net'), blocked);
  await service.call('DELETE', '/api/domains/allow/exact/x.doubleclick.net');
};

const ownGroups = async (scene: Scene): Promise<void> => {
  const { service, address, addresses } = scene;
  await untilAddress(() => address('x.doubleclick.net'), blocked);
  const group = await service.call('POST', '/api/groups', { body: { name: 'free' } });
  const id = Number(at(group.body, 'groups', 0, 'id'));
  await service.call('POST', '/api/clients', { body: { client: '127.0.0.0/8', groups: [id] } });
  assert.equal(await address('x.doubleclick.net'), free);
  const rule = { domain: 'only.example.org', groups: [id] };
  await service.call('POST', '/api/domains/deny/exact', { body: rule });
  assert.equal(await address('only.example.org'), blocked);
  await service.call('DELETE', `/api/clients/${encodeURIComponent('127.0.0.0/8')}`);
  assert.deepEqual(await addresses('x.doubleclick.net', 'only.example.org'), [blocked, free]);
};

const failedUpdate = async (scene: Scene, t: TestContext): Promise<void> => {
  const { service, address, addresses } = scene;
  const web = createServer((_request, reply) => reply.end(page)).listen(0, '127.0.0.1');
  let page = 'one.example.org\n';
  await once(web, 'listening');
  t.after(() => web.close());
  // The server of the default subscription is out of reach here.
  const far = String(at((await service.call('GET', '/api/lists')).body, 'lists', 1, 'address'));
  assert.match(far, /^https:/u);
  await service.call('DELETE', `/api/lists/${encodeURIComponent(far)}?type=block`);
  await subscribe(service, urlOf(web));
  const update = async () => (await service.call('POST', '/api/action/gravity')).body;
  const first = await update();
  const mine = (body: unknown) => at(body, 'result', 'lists', 1);
  assert.deepEqual([at(mine(first), 'status'), at(mine(first), 'number')], [1, 1]);
  assert.equal(await address('one.example.org'), blocked);

  page = '<!doctype html><html><body>Not found</body></html>';
  const second = await update();
  assert.equal(at(mine(second), 'status'), 3);
  assert.equal(await address('one.example.org'), blocked);

  page = 'two.example.org\n';
  await update();
  assert.deepEqual(await addresses('one.example.org', 'two.example.org'), [free, blocked]);
};

const restart = async (scene: Scene): Promise<void> => {
  const { service, address, addresses } = scene;
  await untilAddress(() => address('x.doubleclick.net'), blocked);
  const restarted = await service.call('POST', '/api/action/restartdns', { via: 'control' });
  assert.equal(restarted.status, 200);
  const questions = Array.from({ length: 20 }, () => 'x.doubleclick.net');
  assert.deepEqual(new Set(await addresses(...questions)), new Set([blocked]));
};

const urlOf = (server: Server): string => {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/list.txt`;
};

test('lists', async (t) => {
  const scene = await begin(t);
  await t.test('the built-in list blocks from the first start, and the answer names it', () =>
    builtIn(scene),
  );
  await t.test(
    'a list in a file is in force as soon as it is subscribed, and until it is disabled or deleted',
    () => fromFile(scene),
  );
  await t.test('rules of the user rank above lists, and nothing is blocked while blocking is off', () =>
    ownRules(scene),
  );
  await t.test('a client in another group gets the rules of that group only', () => ownGroups(scene));
  await t.test('an update that fails leaves the old copy in force', (own) => failedUpdate(scene, own));
  await t.test('after a restart the first answers are filtered', () => restart(scene));
});
