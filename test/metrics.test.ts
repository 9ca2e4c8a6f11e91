// What a monitoring system reads from the running program: the metrics are well-formed in both formats,
// change with the events they count, and are shown only to authorised callers. Existing clients read the same
// figures, the machine and the logs in the fields that they know.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openClient } from './front-door/support/client.ts';
import { bySid, password, openSession } from './front-door/support/session.ts';
import { bootFor } from './running/boot.ts';
import { sendQuery, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { scrape, type Scraped } from './running/prometheus.ts';
import { assertError, at, describe as shown, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

const token = 'a-token-of-the-scraper';
const proxy = '127.0.0.9';
const openMetrics = { accept: 'application/openmetrics-text;version=1.0.0;q=0.9,text/plain;q=0.5' };

test('a running service', async (t) => {
  const upstream = await startUpstream(t, 5);
  const service = await bootFor(t, {
    env: {
      ...dnsEnvironment(upstream.port),
      SLUICE_DNS_WORKERS: '2',
      SLUICE_AUTH_PASSWORD: password,
      SLUICE_WEB_TRUSTED_PROXIES: proxy,
    },
  });
  const port = await dnsPort(service);
  const client = openClient(service);
  const local = openClient(service, { via: 'control' });
  const read = async (): Promise<Scraped> => {
    const reply = await client.send('GET', '/metrics');
    assert.equal(reply.status, 200, shown(reply));
    assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    return scrape(reply.text, 'text');
  };
  const set = async (metrics: Readonly<Record<string, unknown>>): Promise<void> => {
    const reply = await local.send('PATCH', '/api/config', { body: { config: { metrics } } });
    assert.equal(reply.status, 200, shown(reply));
  };
  const info = async (path: string): Promise<unknown> => {
    const reply = await local.send('GET', path);
    assert.equal(reply.status, 200, shown(reply));
    return reply.body;
  };

  const firstScrape = await read();

  await t.test('lists the history thread before there is anything to record', () => {
    assert.equal(firstScrape.value('sluice_thread_up', { thread: 'history' }), 1);
    assert.equal(firstScrape.value('sluice_thread_restarts_total', { thread: 'history' }), 0);
  });

  await t.test('counts queries in the metrics', async () => {
    const before = await read();
    const rule = { domain: 'blocked.example' };
    assert.equal((await local.send('POST', '/api/domains/deny/exact', { body: rule })).status, 201);
    for (const name of [localName, 'a.example', 'a.example', 'blocked.example'])
      assert.equal(await sendQuery(port, name), 0, name);
    const label = { upstream: `127.0.0.1#${upstream.port}` };
    // Caches and upstreams are measured twice a second.
    const after = await until('The caches are measured', async () => {
      const now = await read();
      const forwarded = now.value('sluice_dns_answers_total', { origin: 'forwarded' });
      return now.value('sluice_cache_insertions_total') >= forwarded ? now : undefined;
    });
    const grown = (name: string, labels = {}): number =>
      after.value(name, labels) - before.value(name, labels);
    assert.equal(grown('sluice_dns_answers_total', { origin: 'local' }), 1);
    assert.equal(grown('sluice_dns_answers_total', { origin: 'blocked' }), 1);
    const forwarded = grown('sluice_dns_answers_total', { origin: 'forwarded' });
    // Two workers have a cache each.
    assert.equal(forwarded + grown('sluice_cache_hits_total', { freshness: 'fresh' }), 2);
    assert.equal(grown('sluice_dns_answers_by_verdict_total', { verdict: 'block' }), 1);
    assert.equal(grown('sluice_dns_answers_by_transport_total', { transport: 'udp' }), 4);
    assert.equal(grown('sluice_dns_answers_by_rcode_total', { rcode: 'NOERROR' }), 4);
    assert.ok(after.value('sluice_upstream_queries_total', label) >= forwarded);
    assert.equal(after.value('sluice_upstream_up', label), 1);
    assert.ok(after.value('sluice_upstream_response_seconds_sum', label) >= 0.004);
    assert.equal(after.value('sluice_cache_insertions_total'), forwarded);
    assert.equal(after.value('sluice_cache_entries'), forwarded);
    assert.equal(after.value('sluice_rules', { type: 'deny', kind: 'exact' }), 1);
    assert.ok(grown('sluice_http_requests_total', { status: '2xx' }) >= 1);
  });

  await t.test('has metrics about its process', async () => {
    const now = await read();
    for (const thread of ['api', 'dns1', 'dns2']) {
      assert.equal(now.value('sluice_thread_up', { thread }), 1);
      assert.equal(now.value('sluice_thread_restarts_total', { thread }), 0);
    }
    assert.ok(now.value('process_resident_memory_bytes') > 20e6);
    assert.ok(now.value('process_open_fds') > 10);
    assert.ok(now.value('process_max_fds') >= now.value('process_open_fds'));
    assert.ok(Math.abs(now.value('process_start_time_seconds') - Date.now() / 1000) < 300);
    assert.ok(now.value('process_cpu_seconds_total') > 0.1);
    assert.equal(now.value('sluice_list_entries', { list: '1' }) >= 0, true);
    assert.ok([...now.families.values()].every(({ help }) => help.length > 5));
  });

  await t.test('has the same series in OpenMetrics', async () => {
    const reply = await client.send('GET', '/metrics', { headers: openMetrics });
    const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, type]);
    const names = [...scrape(reply.text, 'openmetrics').series.keys()];
    assert.deepEqual(names.toSorted(), [...(await read()).series.keys()].toSorted());
    assert.deepEqual(
      names.toSorted(),
      [...firstScrape.series.keys()].toSorted(),
      'Series appeared after the first scrape.',
    );
  });

  await t.test('shows metrics only to authorised callers', async () => {
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
    const session = await openSession(client);
    const cases: readonly (readonly [string, Parameters<typeof openClient>[1], number, number])[] = [
      // The caller, and its status with loopback allowed (the default) and without.
      ['loopback', {}, 200, 401],
      ['another address of loopback', { from: '127.0.0.5' }, 200, 401],
      ['a proxy that is not trusted', { headers: { 'X-Forwarded-For': '127.0.0.1' } }, 401, 401],
      ['a client that claims to be a proxy', { headers: { via: '1.1 nginx' } }, 401, 401],
      ['behind a trusted proxy', { from: proxy, headers: { 'X-Forwarded-For': '203.0.113.5' } }, 401, 401],
      [
        'loopback behind a trusted proxy',
        { from: proxy, headers: { 'X-Forwarded-For': '127.0.0.5' } },
        200,
        401,
      ],
      ['a session', { headers: { ...bySid(session), via: '1.1 nginx' } }, 200, 200],
      ['a wrong session', { headers: { 'X-SVC-SID': 'none', via: '1.1 nginx' } }, 401, 401],
      ['the token', { headers: { ...bearer(token), via: '1.1 nginx' } }, 401, 200],
      ['a wrong token', { headers: bearer(`${token}x`) }, 200, 401],
      ['an empty token', { headers: { authorization: 'Bearer' } }, 200, 401],
      ['the control socket', { via: 'control' }, 200, 200],
    ];
    const checkAll = async (which: 2 | 3): Promise<void> => {
      for (const one of cases) {
        const reply = await openClient(service, one[1]).send('GET', '/metrics');
        assert.equal(reply.status, one[which], `${one[0]}: ${shown(reply)}`);
        if (reply.status === 401) assertError(reply, { status: 401, hint: /metrics\.allowed/u });
      }
    };
    await checkAll(2);
    await set({ allowed: ['192.0.2.0/24'], token });
    await checkAll(3);
    assert.equal(at(await info('/api/config/metrics/token'), 'config', 'metrics', 'token'), '********');
    await set({ enabled: false });
    assertError(await local.send('GET', '/metrics'), { status: 404, hint: /metrics\.enabled/u });
    await set({ enabled: true, allowed: ['127.0.0.0/8'] });
    await read();
  });

  await t.test('has the same figures in the fields that existing clients read', async () => {
    // A busy dns worker reports its cache late, and the reply waits for it only briefly.
    const metrics = await until('The cache is counted', async () => {
      const found = at(await info('/api/info/metrics'), 'metrics');
      return listAt(found, 'dns', 'cache', 'content').length > 0 ? found : undefined;
    });
    const replies = at(metrics, 'dns', 'replies');
    const parts = ['local', 'forwarded', 'optimized', 'unanswered', 'auth'].map((part) =>
      Number(at(replies, part)),
    );
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0),
      at(replies, 'sum'),
    );
    assert.equal(at(replies, 'sum'), 4);
    const forwarded = Number(at(replies, 'forwarded'));
    const content = [{ type: 1, name: 'A', count: { valid: forwarded, stale: 0 } }];
    assert.deepEqual(at(metrics, 'dns', 'cache', 'content'), content);
    assert.equal(at(metrics, 'dhcp', 'leases', 'allocated_6'), 0);
    const ftl = at(await info('/api/info/ftl'), 'ftl');
    assert.deepEqual(at(ftl, 'database', 'domains', 'denied'), { total: 1, enabled: 1 });
    const lists = listAt(await info('/api/lists'), 'lists').filter((list) => at(list, 'enabled') === true);
    assert.deepEqual([at(ftl, 'database', 'groups'), at(ftl, 'database', 'lists')], [1, lists.length]);
    assert.equal(at(ftl, 'pid'), service.pid);
    assert.equal(at(ftl, 'dnsmasq', 'dns_queries_forwarded'), at(replies, 'forwarded'));
    const system = at(await info('/api/info/system'), 'system');
    const ram = at(system, 'memory', 'ram');
    assert.equal(Number(at(ram, 'used')) + Number(at(ram, 'available')), at(ram, 'total'));
    assert.ok(Number(at(system, 'ftl', '%mem')) > 0 && Number(at(system, 'procs')) > 1);
    assert.equal(at(await info('/api/info/host'), 'host', 'uname', 'sysname'), 'Linux');
    assert.equal(at(await info('/api/info/sensors'), 'sensors', 'unit'), 'C');
  });

  await t.test('shows its log', async () => {
    const all = await info('/api/logs/ftl');
    const first = listAt(all, 'log')[0];
    assert.match(String(at(first, 'message')), /^main: Starting /u);
    assert.equal(at(first, 'prio'), 'INFO');
    assert.ok(Math.abs(Number(at(first, 'timestamp')) - Date.now() / 1000) < 300);
    assert.deepEqual([at(all, 'pid'), typeof at(all, 'file')], [service.pid, 'string']);
    assert.equal(listAt(all, 'log').length, at(all, 'nextID'));
    const failed = await client.send('POST', '/api/auth', { body: { password: 'wrong' } });
    assert.equal(failed.status, 401);
    const news = await info(`/api/logs/ftl?nextID=${String(at(all, 'nextID'))}`);
    const web = await info('/api/logs/webserver');
    // Other parts may write log lines in the meantime.
    const priorities = [news, web].map((log) =>
      listAt(log, 'log')
        .filter((line) => String(at(line, 'message')).startsWith('api: Login failed'))
        .map((line) => at(line, 'prio')),
    );
    assert.deepEqual(priorities, [['WARNING'], [null]]);
    assert.deepEqual(listAt(await info('/api/logs/ftl?nextID=999999'), 'log'), []);
    const dns = listAt(await info('/api/logs/dnsmasq'), 'log').map((line) => String(at(line, 'message')));
    assert.ok(
      dns.every((text) => / thread=dns\d+$/u.test(text)),
      dns.join('\n'),
    );
    assertError(await local.send('GET', '/api/logs/ftl?nextID=-1'), { status: 400 });
    assertError(await client.send('GET', '/api/logs/ftl'), { status: 401 });
  });
});
