// Regular expressions that an attacker would write, as lines of a list and as rules of the user, with the
// longest names. Those that could block DNS are refused or skipped; the accepted ones stop at a step budget,
// and exceeding it is counted and reported. Three dns workers evaluate them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';

import { sendQueryWithRetries, sendQuery } from '../running/dns-service.ts';
import { createServer } from '../running/http.ts';
import { at, describe as shown, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import type { Service } from '../running/boot.ts';
import { assertNoThreadDied, bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const ok = 0;
const attack = (index: number): string => `.{0,250}.{0,250}q.{0,250}.{0,250}z${index}$`;
/** Each is as expensive as allowed and could match every name. */
const accepted = (index: number): string => `.{0,30}.{0,30}[^a.]{${index + 3}}`;
const times = (count: number, make: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, at_) => make(at_));
/** 240 characters each, all different. */
const longName = (index: number): string => {
  const label = 'a'.repeat(60);
  return [label, label, label, `${'a'.repeat(50)}${'a'.repeat(index % 5)}`].join('.').slice(index % 40);
};

/** Waits until its plain line is in force. Over HTTP, because skipped lines of local files are not shown. */
const subscribe = async (
  t: TestContext,
  service: Service,
  plain: string,
  lines: readonly string[],
): Promise<string> => {
  const server = createServer((_, reply) => reply.end(`${lines.join('\n')}\n||${plain}^\n`));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const address = `http://127.0.0.1:${port}/expensive.txt`;
  const body = { address, comment: 'Expensive' };
  const reply = await service.call('POST', '/api/lists?type=block', { body });
  assert.equal(reply.status, 201, shown(reply));
  await service.call('POST', '/api/action/gravity', { via: 'control' });
  await until(`The list blocks ${plain}`, async () => {
    const { text } = await service.call('GET', `/api/explain?domain=${plain}`);
    return text.includes('Expensive') ? true : undefined;
  });
  return address;
};

/** It cannot be downloaded here, and each update would wait for it. */
const deleteDefaultList = async (service: Service): Promise<void> => {
  const { body } = await service.call('GET', '/api/lists');
  const addresses = listAt(body, 'lists').map((list) => String(at(list, 'address')));
  for (const address of addresses.filter((one) => one.startsWith('https:')))
    await service.call('DELETE', `/api/lists/${encodeURIComponent(address)}?type=block`);
};

test('a service with expensive regular expressions', async (t) => {
  const upstream = await startNamedUpstream(t, 0);
  const env = { SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}`, SLUICE_DNS_WORKERS: '3' };
  const service = await bootDns(t, { env });
  const port = await portOf(service);
  await deleteDefaultList(service);

  await t.test('refuses a rule of the user that could take too many steps with 400', async () => {
    const reply = await service.call('POST', '/api/domains/deny/regex', { body: { domain: attack(1) } });
    assert.equal(reply.status, 400, shown(reply));
    assert.match(reply.text, /Too expensive: a name of 253 characters can take 50000 steps or more/u);
  });

  await t.test('skips and reports such lines of a list, and applies the others', async () => {
    const lines = times(30, (index) => `/${attack(index)}/`);
    const address = await subscribe(t, service, 'ads.example', lines);
    const copies = await service.call('GET', `/api/lists/${encodeURIComponent(address)}/copies?type=block`);
    assert.match(copies.text, /"invalid_domains":30/u);
    assert.match(copies.text, /the regular expression is too expensive/u);
    const names = times(40, (index) => `q${longName(index)}.z${index % 30}`);
    const codes = await Promise.all(names.map((name) => sendQueryWithRetries(port, name)));
    assert.deepEqual(new Set(codes), new Set([ok]));
  });

  await t.test('answers long names although all accepted rules are expensive, and reports that', async () => {
    await subscribe(
      t,
      service,
      'later.example',
      times(15, (index) => `/${accepted(index)}/`),
    );
    for (let round = 0; round < 5; round++) {
      const names = times(40, (index) => longName(round * 40 + index));
      const codes = await Promise.all(names.map((name) => sendQueryWithRetries(port, name)));
      assert.deepEqual(new Set(codes), new Set([ok]));
    }
    const problem = await until('The part rules is degraded', async () => {
      const { body } = await service.call('GET', '/api/health', { via: 'control' });
      return listAt(body, 'degraded').find((one) => at(one, 'part') === 'rules');
    });
    assert.match(String(at(problem, 'reason')), /line \d+ of the list Expensive/u);
    const metrics = await service.call('GET', '/metrics', { via: 'control' });
    assert.match(metrics.text, /^sluice_dns_expressions_unfinished_total [1-9]/mu);
    const messages = await service.call('GET', '/api/info/messages', { via: 'control' });
    assert.match(messages.text, /Rules take too many steps/u);
    assert.equal(await sendQuery(port, 'short.example'), ok);
    await assertNoThreadDied(service);
  });
});
