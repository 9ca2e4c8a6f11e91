// Explanations and searches from outside, compared with real queries: the rule, its list and line, the origin
// of the answer, and which upstream would be queried.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { runCommand } from '../running/program.ts';
import { assertError, at, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const list = `# a list of the test
0.0.0.0 ads.example.org
||wide.example.net^
@@||good.wide.example.net^
/^pop[0-9]/
||b\u00fccher.example^
`;

const startedSeconds = Math.floor(Date.now() / 1000);

type Explanation = {
  readonly verdict: unknown;
  readonly reason: string;
  readonly steps: readonly unknown[];
  readonly step: (name: string) => unknown;
};

const begin = async (t: TestContext) => {
  const upstream = await startNamedUpstream(t, 0, { 'shop.example.com': 'eu.wide.example.net' });
  const service = await bootDns(t, {
    env: {
      SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}`,
      SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan',
      SLUICE_DNS_WORKERS: '1',
    },
  });
  const file = join(temporaryFolder(), 'list.txt');
  writeFileSync(file, list);
  const address = `file://${file}`;
  await service.call('POST', '/api/lists?type=block', { body: { address, comment: 'Mine' } });
  const explain = async (query: string): Promise<Explanation> => {
    const { status, body, text } = await service.call('GET', `/api/explain?domain=${query}`);
    assert.equal(status, 200, text);
    const steps = listAt(body, 'steps');
    const step = (name: string) => steps.find((one) => at(one, 'step') === name);
    return { verdict: at(body, 'verdict'), reason: String(at(body, 'reason')), steps, step };
  };
  await until('The list is in force', async () =>
    (await explain('ads.example.org')).verdict === 'block' ? true : undefined,
  );
  return { service, upstream, explain, address };
};

test('explanations and searches', async (t) => {
  const [{ service, upstream, explain, address }, off] = await Promise.all([
    begin(t),
    bootDns(t, { env: { SLUICE_DNS_LISTEN: '' } }),
  ]);

  await t.test('GET /api/explain of a name that a list blocks names the list and the line', async () => {
    const explanation = await explain('ads.example.org');
    assert.match(explanation.reason, /^ads.example.org is blocked by the list "Mine", line 2 /u);
    const rule = at(explanation.step('rules'), 'rules', 0);
    assert.deepEqual(
      [at(rule, 'list', 'address'), at(rule, 'list', 'line'), at(rule, 'list', 'text'), at(rule, 'row')],
      [address, 2, '0.0.0.0 ads.example.org', 'listBlock'],
    );
    const since = Number(at(rule, 'since'));
    assert.ok(since >= startedSeconds && since <= Date.now() / 1000, String(since));
    assert.deepEqual(at(explanation.step('answer'), 'records'), ['ads.example.org 2 IN A 0.0.0.0']);
    assert.deepEqual(explanation.step('cache'), undefined);
    assert.equal(
      at((await explain('ADS.example.org.&type=aaaa')).step('answer'), 'records', 0),
      'ads.example.org 2 IN AAAA ::',
    );
  });

  await t.test('GET /api/explain of a name that a list blocks and allows has both rules', async () => {
    const explanation = await explain('good.wide.example.net');
    assert.equal(explanation.verdict, 'allow');
    assert.deepEqual(
      listAt(explanation.step('rules'), 'rules').map((rule) => [at(rule, 'list', 'line'), at(rule, 'wins')]),
      [
        [4, true],
        [3, false],
      ],
    );
  });

  await t.test(
    'GET /api/explain ranks a rule of the user above a list, and shows a regular expression',
    async () => {
      await service.call('POST', '/api/domains/allow/exact', {
        body: { domain: 'free.wide.example.net', comment: 'for the school' },
      });
      await service.call('POST', '/api/domains/deny/regex', { body: { domain: '^ad[0-9]+' } });
      const own = await explain('free.wide.example.net');
      assert.equal(own.verdict, 'allow');
      const rules = listAt(own.step('rules'), 'rules');
      assert.deepEqual(
        [at(own.step('rules'), 'row'), at(own.step('rules'), 'because'), at(rules[0], 'own', 'comment')],
        ['ownAllow', 'row', 'for the school'],
      );
      assert.deepEqual([at(rules[1], 'list', 'line'), at(rules[1], 'wins')], [3, false]);
      const regex = await explain('ad7.example.org');
      assert.match(regex.reason, /blocked by your deny rule "\^ad\[0-9\]\+"/u);
      const listed = await explain('pop1.example.org');
      assert.equal(at(listed.step('rules'), 'rules', 0, 'list', 'line'), 5);
    },
  );

  await t.test('GET /api/explain of a name with a CNAME to a blocked one has the verdict block', async () => {
    const explanation = await explain('shop.example.com');
    assert.equal(explanation.verdict, 'block');
    assert.match(
      explanation.reason,
      /leads to eu.wide.example.net \(CNAME\).*blocked by the list "Mine", line 3/u,
    );
    assert.deepEqual(at(explanation.step('answer'), 'records'), ['shop.example.com 2 IN A 0.0.0.0']);
    const unasked = await explain('shop.example.com&resolve=false');
    assert.deepEqual(
      [unasked.verdict, unasked.step('target'), unasked.step('answer')],
      ['pass', undefined, undefined],
    );
  });

  await t.test('GET /api/explain of a local record shows the record and no rules', async () => {
    const explanation = await explain('nas.lan');
    assert.equal(explanation.verdict, 'local');
    assert.deepEqual(at(explanation.step('answer'), 'records'), ['nas.lan 60 IN A 192.0.2.7']);
    assert.equal(explanation.step('rules'), undefined);
  });

  await t.test(
    'GET /api/explain of a name without rules queries the upstream, or the cache after a query',
    async () => {
      assert.equal(upstream.queriesFor('www.example.org'), 0);
      const explanation = await explain('www.example.org');
      assert.equal(explanation.verdict, 'pass');
      assert.equal(at(explanation.step('cache'), 'state'), 'none');
      assert.equal(at(explanation.step('upstream'), 'answered_by'), `127.0.0.1#${upstream.port}`);
      assert.deepEqual(at(explanation.step('answer'), 'records'), ['www.example.org 60 IN A 192.0.2.1']);
      // More than once when the upstream was late.
      assert.ok(upstream.queriesFor('www.example.org') > 0);
      assert.equal(
        at((await explain('www.example.org')).step('cache'), 'state'),
        'none',
        'The explanation is not cached.',
      );
      await runQuery('dig', { address: '127.0.0.1', port: await portOf(service) }, 'www.example.org A');
      const kept = await explain('www.example.org');
      const ttl = Number(at(kept.step('cache'), 'ttl'));
      assert.equal(at(kept.step('cache'), 'state'), 'fresh');
      assert.ok(ttl > 0 && ttl <= 60, String(ttl));
      assert.equal(at(kept.step('upstream'), 'outcome'), null);
    },
  );

  await t.test('GET /api/explain for a client shows its groups, its pause or its refusal', async () => {
    const group = await service.call('POST', '/api/groups', { body: { name: 'kids' } });
    const groups = [Number(at(group.body, 'groups', 0, 'id'))];
    await service.call('POST', '/api/clients', {
      body: { client: '192.168.7.0/24', groups, comment: 'the attic' },
    });
    const explanation = await explain('ads.example.org&client=192.168.7.9');
    assert.equal(explanation.verdict, 'pass');
    const client = explanation.step('client');
    assert.deepEqual(
      [at(client, 'configured'), at(client, 'found_by'), at(client, 'comment')],
      ['192.168.7.0/24', 'range', 'the attic'],
    );
    assert.deepEqual(
      listAt(explanation.step('groups'), 'groups').map((one) => at(one, 'name')),
      ['kids'],
    );
    assert.equal(at(explanation.step('rules'), 'rules', 0, 'outcome'), 'otherGroups');
    await service.call('POST', '/api/dns/blocking', {
      body: { blocking: false, timer: 60, client: '192.168.8.1' },
    });
    const paused = await explain('ads.example.org&client=192.168.8.1');
    assert.equal(paused.verdict, 'pass');
    assert.equal(at(paused.step('blocking'), 'blocking'), false);
    assert.equal(at(paused.step('blocking'), 'pauses', 0, 'client'), '192.168.8.1');
    assert.equal(at(paused.step('rules'), 'rules', 0, 'outcome'), 'blockingOff');
    assert.equal((await explain('ads.example.org&client=203.0.113.5')).verdict, 'refuse');
    const mac = '02:00:00:00:00:07';
    await service.call('POST', '/api/clients', { body: { client: mac, groups } });
    const device = await explain(`ads.example.org&client=${mac}`);
    assert.deepEqual([device.verdict, at(device.step('client'), 'found_by')], ['pass', 'mac']);
  });

  await t.test('sluice explain prints the steps, and with --json the reply of the API', async () => {
    const sluice = (...args: readonly string[]) => runCommand(['explain', ...args], { dir: service.dir });
    const [people, scripts, wrong, tablet] = await Promise.all([
      sluice('ads.example.org', '--client', '192.168.1.5'),
      sluice('ads.example.org', '--type', 'AAAA', '--json'),
      sluice('a b'),
      sluice('ads.example.org', '--client', 'The Attic'),
    ]);
    assert.match(people.out, /^ads\.example\.org \(A\), queried by 192\.168\.1\.5: blocked\n/u);
    assert.match(people.out, /^\* rules +ads\.example\.org is blocked by the list "Mine", line 2/mu);
    assert.deepEqual(
      [at(JSON.parse(scripts.out), 'verdict'), at(JSON.parse(scripts.out), 'type')],
      ['block', 'AAAA'],
    );
    const hint = 'a b: write ads.example.org, and other signs as \\032.';
    assert.deepEqual([wrong.code, wrong.err], [1, `"a b" cannot be explained: Invalid domain (${hint})\n`]);
    assert.match(tablet.out, /queried by 192\.168\.7\.0\/24: not blocked/u);
  });

  await t.test('GET /api/explain with a wrong parameter is refused with 400', async () => {
    const refused = async (query: string) => service.call('GET', `/api/explain?${query}`);
    assertError(await refused('domain=a..b'), { status: 400, message: 'Invalid domain' });
    assertError(await refused('domain=a.b&type=WHAT'), { status: 400, message: 'Unknown type of records' });
    assertError(await refused('domain=a.b&client=10.0.0.0/80'), { status: 400, message: 'Invalid client' });
    assertError(await refused('type=A'), { status: 400, message: 'No "domain" parameter in the query' });
  });

  await t.test('an explanation leaves no query in the history', async () => {
    await runQuery('dig', { address: '127.0.0.1', port: await portOf(service) }, 'last.example.org A');
    const names = await until('The last query is in the history', async () => {
      const rows = listAt((await service.call('GET', '/api/queries')).body, 'queries');
      return at(rows[0], 'domain') === 'last.example.org' ? rows.map((row) => at(row, 'domain')) : undefined;
    });
    assert.deepEqual(names, ['last.example.org', 'www.example.org'], 'Only the queries of dig are recorded.');
  });

  await searches(t, service, address);

  await t.test('GET /api/explain shows the rules while dns.listen is empty', async () => {
    await off.call('POST', '/api/domains/deny/exact', { body: { domain: 'never.example.org' } });
    const { status, body } = await off.call('GET', '/api/explain?domain=never.example.org');
    assert.deepEqual([status, at(body, 'verdict')], [200, 'block']);
    const passed = await off.call('GET', '/api/explain?domain=www.example.org');
    assert.deepEqual([passed.status, at(passed.body, 'verdict')], [200, 'pass']);
    assert.match(String(at(passed.body, 'reason')), /DNS is not answered/u);
  });
});

const searches = async (t: TestContext, service: Service, address: string) => {
  const search = async (path: string) => {
    const { status, body, text } = await service.call('GET', `/api/search/${path}`);
    assert.equal(status, 200, text);
    return at(body, 'search');
  };
  const entries = (found: unknown): unknown[] =>
    listAt(found, 'gravity')
      .filter((entry) => at(entry, 'address') === address)
      .map((entry) => `${String(at(entry, 'line'))} ${String(at(entry, 'domain'))}`);

  await t.test('GET /api/search of a name finds its rules and lists', async () => {
    const found = await search('free.wide.example.net');
    assert.deepEqual(entries(found), ['3 ||wide.example.net^']);
    assert.deepEqual(
      listAt(found, 'domains').map((one) => [at(one, 'domain'), at(one, 'type'), at(one, 'kind')]),
      [['free.wide.example.net', 'allow', 'exact']],
    );
    assert.deepEqual(at(found, 'results'), {
      domains: { exact: 1, regex: 0 },
      gravity: { allow: 0, block: 1 },
      total: 2,
      truncated: false,
    });
    assert.deepEqual(at(await search('?domain=free.wide.example.net'), 'results'), at(found, 'results'));
    const regex = await search('ad1.test?debug=true');
    assert.deepEqual(at(regex, 'results', 'domains'), { exact: 0, regex: 1 });
    assert.equal(listAt(regex, 'debug', 'regex_ids', 'deny').length, 1);
    assert.deepEqual(listAt(regex, 'debug', 'abp_pattern', 'gravity'), ['||ad1.test^', '||test^']);
  });

  await t.test('GET /api/search of part of a name also finds rules of disabled lists', async () => {
    const all = ['2 ads.example.org', '3 ||wide.example.net^', '4 @@||good.wide.example.net^'];
    assert.deepEqual(entries(await search('example.?partial=true&N=10000')).slice(0, 3), all);
    const cut = await search('WIDE.ex?partial=true&n=1');
    assert.deepEqual(entries(cut), [all[1]]);
    assert.equal(at(cut, 'results', 'gravity', 'block'), 2);
    assert.equal(at(cut, 'parameters', 'domain'), 'WIDE.ex');
    await service.call('PATCH', `/api/lists/${encodeURIComponent(address)}?type=block`, {
      body: { enabled: false },
    });
    const disabled = await search('wide.example.net');
    assert.deepEqual(entries(disabled), [all[1]]);
    assert.equal(at(disabled, 'gravity', 0, 'enabled'), false);
    assert.deepEqual(entries(await search(`b${encodeURIComponent('\u00fc')}cher.example`)), [
      '6 ||xn--bcher-kva.example^',
    ]);
  });

  await t.test('GET /api/search with a wrong parameter is refused with 400', async () => {
    const message = (words: string): string => `Invalid request: ${words}`;
    const refused = (path: string) => service.call('GET', path);
    assertError(await refused('/api/search/'), { status: 400, message: message('No search term provided') });
    assertError(await refused('/api/search/a?N=10001'), {
      status: 400,
      message: message('Requested too many results'),
    });
    assertError(await refused(`/api/search/${encodeURIComponent('\u00fc')}%20x`), {
      status: 400,
      message: message('Invalid domain name'),
    });
  });
};
