// An explanation against the engine itself: what it says is what a client then gets, step by step and to the
// last record; and options it leaves nothing behind.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  createOwnLayer,
  createPolicy,
  parseUserRule,
  scanRules,
  SnapshotBuilder,
  type Policy,
} from '#policy';
import { ipBytes, nameFromText, Type, typeFromText } from '#wire';
import { readCounters } from '../record/counters.ts';
import { answerText, makeCleanReply, makeQuery, makeReply } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';
import type { Explained } from './explained.ts';
import { Explanation, type UpstreamOutcome } from './explanation.ts';

const list = `ads.example
||tracker.example^
@@||good.tracker.example^
|ads.test^
||fixed.test^$dnsrewrite=198.18.9.9
||turned.test^$dnsrewrite=NOERROR;CNAME;outside.test
||tohome.test^$dnsrewrite=NOERROR;CNAME;nas.example
||refused.test^$dnsrewrite=REFUSED
local-zone: "silent.test" deny
$TTL 60
@ SOA a b 1 1 1 1 1
24.0.0.19.198.rpz-ip CNAME .
`;
const clientAddress = '192.168.1.10';

async function policyOf(text: string, rules: readonly string[]): Promise<Policy> {
  const builder = new SnapshotBuilder({ expectedNames: 10 });
  scanRules(new TextEncoder().encode(text), builder.list(7));
  const lists = builder.finishHere();
  assert.ok(lists !== undefined);
  const own = rules.map((words, at) => {
    const [action, kind, domain = ''] = words.split(' ');
    assert.ok((action === 'allow' || action === 'block') && (kind === 'exact' || kind === 'regex'));
    const parsed = parseUserRule({ domain, kind, action }, () => ({ kind: 'fine' }));
    assert.ok(parsed.isRule);
    return { id: at + 1, groups: [0], rule: parsed.rule };
  });
  return createPolicy({
    version: 1,
    lists,
    listsInForce: [{ id: 7, groups: [0], name: 'seven' }],
    own: createOwnLayer(own, lists.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
}

const options = {
  ...usualOptions,
  local: {
    ...usualOptions.local,
    records: {
      hosts: ['192.168.1.10 nas.example'],
      cnameRecords: [
        'files.example,nas.example',
        'www.example,outside.test,300',
        'al.example,ads.test',
        'free.example,good.tracker.example',
      ],
      ttlSeconds: 60,
    },
  },
};

const wire = (text: string): Uint8Array => nameFromText(text) ?? new Uint8Array(1);

function mapped(text: string): Uint8Array {
  const bytes = ipBytes(text) ?? new Uint8Array(4);
  return bytes.length === 16 ? bytes : Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes);
}

function explanationOf(network: Network, question: string, client = clientAddress): Explanation {
  const [name = '', type = 'A'] = question.split(' ');
  const inquiry = { name: wire(name), type: typeFromText(type) ?? Type.A, client: mapped(client) };
  return new Explanation(network.engine, inquiry);
}

/** Asks the scripted upstream where one is to be asked. */
function explain(network: Network, question: string, records: readonly string[] = []): Explained {
  const explanation = explanationOf(network, question);
  const { asks } = explanation;
  if (asks === undefined) return explanation.finish(undefined);
  const reply = makeCleanReply(asks, records.length === 0 ? ['NXDOMAIN'] : ['NOERROR'], [...records]);
  const outcome: UpstreamOutcome = { kind: 'reply', reply, upstream: 2 };
  return explanation.finish(outcome);
}

/** What a client gets, as records with their data. */
function clientGets(network: Network, question: string, records: readonly string[]): string {
  const client = new SentQuery('tcp', clientAddress, '192.168.1.2');
  const query = makeQuery(question.split(' '));
  network.send(client, query.bytes);
  const [asked] = network.forwarder.questions.splice(0);
  if (asked !== undefined)
    network.forwarder.reply(
      asked,
      makeReply(asked.question, records.length === 0 ? ['NXDOMAIN'] : ['NOERROR'], [...records]),
    );
  if (client.answer === undefined) return 'waits';
  return client.answer.length === 0 ? 'silence' : answerText(client.answer, query);
}

interface Row {
  readonly question: string;
  /** What the upstream has. */
  readonly records?: readonly string[];
  readonly decidedBy: Explained['decidedBy'];
  /** Of the rules for the name; `-`: not come to. */
  readonly row?: string;
}

const rows: readonly Row[] = [
  { question: 'ads.example A', decidedBy: 'rules', row: 'listBlock' },
  { question: 'ads.example AAAA', decidedBy: 'rules', row: 'listBlock' },
  { question: 'x.tracker.example TXT', decidedBy: 'rules', row: 'listBlock' },
  {
    question: 'good.tracker.example A',
    records: ['good.tracker.example 60 A 198.18.0.1'],
    decidedBy: 'rules',
    row: 'listAllow',
  },
  {
    question: 'free.tracker.example A',
    records: ['free.tracker.example 60 CNAME ads.example', 'ads.example 60 A 198.18.0.1'],
    decidedBy: 'rules',
    row: 'ownAllow',
  },
  { question: 'ad7.test A', decidedBy: 'rules', row: 'ownBlock' },
  {
    question: 'shop.test A',
    records: ['shop.test 60 CNAME eu.tracker.example', 'eu.tracker.example 60 A 198.18.0.1'],
    decidedBy: 'targets',
    row: 'pass',
  },
  {
    question: 'kept.test A',
    records: ['kept.test 60 CNAME free.tracker.example', 'free.tracker.example 60 CNAME ads.example'],
    decidedBy: 'targets',
    row: 'pass',
  },
  {
    question: 'good.tracker.example A',
    records: ['good.tracker.example 60 CNAME ad1.test', 'ad1.test 60 A 198.18.0.1'],
    decidedBy: 'targets',
    row: 'listAllow',
  },
  { question: 'home.test A', records: ['home.test 60 A 192.168.7.7'], decidedBy: 'nothing', row: 'pass' },
  { question: 'none.test A', decidedBy: 'nothing', row: 'pass' },
  { question: 'fixed.test A', decidedBy: 'rules', row: 'listBlock' },
  { question: 'fixed.test AAAA', decidedBy: 'rules', row: 'listBlock' },
  {
    question: 'turned.test A',
    records: ['outside.test 60 A 198.18.0.1'],
    decidedBy: 'rules',
    row: 'listBlock',
  },
  { question: 'tohome.test A', decidedBy: 'rules', row: 'listBlock' },
  { question: 'refused.test A', decidedBy: 'rules', row: 'listBlock' },
  { question: 'far.test A', records: ['far.test 60 A 198.19.0.77'], decidedBy: 'targets', row: 'pass' },
  { question: 'near.test A', records: ['near.test 60 A 198.19.1.77'], decidedBy: 'nothing', row: 'pass' },
  { question: 'nas.example A', decidedBy: 'local' },
  { question: 'nas.example AAAA', decidedBy: 'local' },
  { question: 'files.example A', decidedBy: 'local' },
  {
    question: 'www.example A',
    records: ['outside.test 60 A 198.18.0.1'],
    decidedBy: 'nothing',
    row: 'pass',
  },
  { question: 'al.example A', decidedBy: 'targets', row: 'pass' },
  {
    question: 'free.example A',
    records: ['good.tracker.example 60 CNAME ads.test', 'ads.test 60 A 198.18.0.1'],
    decidedBy: 'targets',
    row: 'pass',
  },
  { question: 'pantry A', decidedBy: 'local' },
  { question: 'x.onion A', decidedBy: 'local' },
  { question: 'mask.icloud.com A', decidedBy: 'special', row: 'pass' },
  { question: 'anything.test ANY', decidedBy: 'local' },
];

describe('an explanation', () => {
  let policy: Policy;
  before(async () => {
    policy = await policyOf(list, [
      'allow exact free.tracker.example',
      'block regex ^ad[0-9]+\\.',
      'block exact quiet.test;reply=NONE',
    ]);
  });
  const start = (): Network => {
    const network = new Network(options);
    network.engine.setPolicy(policy);
    return network;
  };

  for (const { question, records = [], decidedBy, row } of rows)
    test(`${question}: ${decidedBy}`, () => {
      const network = start();
      const explained = explain(network, question, records);
      assert.equal(explained.decidedBy, decidedBy);
      assert.equal(explained.rules?.row, row);
      const got = clientGets(network, question, records);
      const lines = explained.answer?.records ?? ['no answer'];
      for (const line of lines) assert.ok(got.includes(dataOf(line)), `${dataOf(line)} is not in ${got}`);
      assert.equal(lines.length === 0, !/ A | AAAA | CNAME | HINFO /u.test(got), got);
      assert.equal(explained.answer?.rcode === 3, got.includes('NXDOMAIN'));
    });

  test('writes no record, no counter and nothing into the cache', () => {
    const network = start();
    for (const { question, records } of rows) explain(network, question, records);
    let seen = 0;
    network.records.read(10, () => seen++);
    assert.equal(seen, 0);
    assert.equal(network.engine.cache.count, 0);
    assert.ok(Object.values(readCounters([network.counters])).every((count) => count === 0));
  });

  test('shows a cached answer with its remaining TTL, and when it has expired', () => {
    const network = start();
    const records = ['kept.example 60 A 198.18.0.1'];
    clientGets(network, 'kept.example A', records);
    network.passTime(20_000);
    const fresh = explain(network, 'kept.example A');
    assert.equal(fresh.upstream?.outcome, undefined);
    const { cache } = fresh;
    assert.deepEqual([cache?.state, cache?.ttlSeconds, cache?.ageSeconds], ['fresh', 40, 20]);
    assert.deepEqual(fresh.answer?.records, ['kept.example 40 IN A 198.18.0.1']);
    network.passTime(100_000);
    const stale = explain(network, 'kept.example A');
    assert.deepEqual([stale.cache?.state, stale.cache?.ttlSeconds], ['stale', -60]);
    assert.deepEqual(stale.answer?.records, ['kept.example 30 IN A 198.18.0.1']);
    network.passTime(3_600_000);
    const explanation = explanationOf(network, 'kept.example A');
    assert.ok(explanation.asks !== undefined);
    assert.equal(explanation.finish(undefined).cache?.state, 'gone');
  });

  test('names every matching rule, the winner first', () => {
    const { rules } = explain(start(), 'free.tracker.example A', ['free.tracker.example 60 A 198.18.0.1']);
    assert.deepEqual(
      rules?.rules.map(({ about, row, isWinner, listId, ruleId }) => [about, row, isWinner, listId, ruleId]),
      [
        ['free.tracker.example', 'ownAllow', true, 0, 1],
        ['tracker.example', 'listBlock', false, 7, 0],
      ],
    );
    assert.equal(rules?.because, 'row');
  });

  test('names the hop that is blocked, and the rule that blocks it', () => {
    const records = ['shop.test 60 CNAME eu.tracker.example', 'eu.tracker.example 60 A 198.18.0.1'];
    const { targets } = explain(start(), 'shop.test A', records);
    assert.deepEqual(
      targets.map(({ about, via, verdict, rules }) => [about, via, verdict, rules[0]?.about]),
      [
        ['eu.tracker.example', 'CNAME', 'block', 'tracker.example'],
        ['198.18.0.1', 'A', 'pass', undefined],
      ],
    );
  });

  test('names the range of addresses that is blocked', () => {
    const { targets } = explain(start(), 'far.test A', ['far.test 60 A 198.19.0.77']);
    assert.deepEqual(
      targets.map(({ about, kind, rules }) => [about, kind, rules[0]?.about]),
      [['198.19.0.77', 'address', '198.19.0.0/24']],
    );
  });

  test('shows a failure of the upstreams, and a client that gets no answer', () => {
    const network = start();
    const explanation = explanationOf(network, 'far.test A');
    const failed = explanation.finish({ kind: 'failure', failure: 'timeout', upstream: 2 });
    assert.deepEqual([failed.upstream?.outcome, failed.upstream?.answeredBy], ['timeout', 'scripted']);
    assert.equal(failed.answer, undefined);
    const stranger = explanationOf(network, 'far.test A', '203.0.113.9');
    assert.equal(stranger.asks, undefined);
    assert.deepEqual(
      [stranger.finish(undefined).decidedBy, stranger.finish(undefined).answer?.rcode],
      ['client', 5],
    );
  });

  test('shows that a query is dropped', () => {
    const network = start();
    for (const question of ['silent.test A', 'quiet.test TXT']) {
      const explained = explain(network, question);
      assert.deepEqual([explained.decidedBy, explained.answer?.isSent], ['rules', false], question);
      assert.equal(clientGets(network, question, []), 'silence');
    }
    assert.equal(explain(network, 'ads.example A').answer?.isSent, true);
  });

  test('hides private addresses of public names, as answers do', () => {
    const explained = explain(start(), 'home.test A', ['home.test 60 A 192.168.7.7']);
    assert.deepEqual([explained.answer?.hidesPrivate, explained.answer?.recordCount], [true, 0]);
  });
});

/** Type and data, as both ways of writing a record have them. */
const dataOf = (line: string): string =>
  line
    .split(' ')
    .slice(3)
    .join(' ')
    .replace(/^HINFO .*/u, 'HINFO');
