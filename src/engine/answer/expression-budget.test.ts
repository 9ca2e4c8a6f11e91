// One budget of steps for a query: its name and the names that its answer leads to share it. What is left
// unfinished for either does not match, and is counted each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createOwnLayer,
  createPolicy,
  parseUserRule,
  scanRules,
  SnapshotBuilder,
  type Policy,
} from '#policy';
import { ipBytes, nameFromText, Type } from '#wire';
import { Explanation } from '../explain/explanation.ts';
import { answerText, makeCleanReply, makeQuery, makeReply } from '#testing/engine/messages';
import { SentQuery, Network } from '#testing/engine/network';

/** Long names of letters are expensive for these. They are affordable one by one, but not together. */
const costly = Array.from({ length: 20 }, (_, at) => `.{0,30}.{0,30}[^a-z.]{${at + 1}}`);
const label = 'a'.repeat(63);
const longName = [label, label, label, 'a'.repeat(61)].join('.');
const alias = 'ads.test';
const aliasRule = 'ads[.]test$';
const client = '192.168.1.10';

async function policyWith(own: readonly string[], lists: readonly string[]): Promise<Policy> {
  const builder = new SnapshotBuilder({ expectedNames: 10 });
  scanRules(Buffer.from(lists.map((text) => `/${text}/`).join('\n')), builder.list(7));
  const snapshot = builder.finishHere();
  assert.ok(snapshot !== undefined);
  const rules = own.map((domain, at) => {
    const parsed = parseUserRule({ domain, kind: 'regex', action: 'block' }, () => ({ kind: 'fine' }));
    assert.ok(parsed.isRule);
    return { id: at + 1, groups: [0], rule: parsed.rule };
  });
  return createPolicy({
    version: 1,
    lists: snapshot,
    listsInForce: [{ id: 7, groups: [0], name: 'seven' }],
    own: createOwnLayer(rules, snapshot.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
}

/** Asks for the name; upstreams answer with the alias, and the alias with an address. */
function ask(network: Network, name: string, behind: string): string {
  const source = new SentQuery('udp', client, '192.168.1.2');
  const query = makeQuery([name, 'A']);
  network.send(source, query.bytes);
  for (const asked of network.forwarder.questions.splice(0))
    network.forwarder.reply(
      asked,
      makeReply(asked.question, ['NOERROR'], [`${name} 600 CNAME ${behind}`, `${behind} 600 A 198.18.0.1`]),
    );
  return source.answer === undefined ? 'waits' : answerText(source.answer, query);
}

async function networkWith(own: readonly string[], lists: readonly string[]) {
  const network = new Network();
  const policy = await policyWith(own, lists);
  network.engine.setPolicy(policy);
  return { network, policy };
}

const isBlocked = (answer: string): boolean => answer.includes('ede=15');

test('a name that uses all steps leaves none for the targets of its answer, which is counted', async () => {
  const { network, policy } = await networkWith([...costly, aliasRule], costly);
  assert.equal(isBlocked(ask(network, longName, alias)), false);
  assert.deepEqual([policy.budget.left, policy.budget.cuts], [0, 2]);
});

test('the next query for it has steps for the targets, because its name is decided already', async () => {
  const { network, policy } = await networkWith([...costly, aliasRule], costly);
  ask(network, longName, alias);
  assert.equal(isBlocked(ask(network, longName, alias)), true);
  assert.equal(policy.budget.cuts, 3);
});

test('a query that is answered in the meantime uses no steps of a waiting one', async () => {
  const { network } = await networkWith([...costly, aliasRule], costly);
  const waiting = new SentQuery('udp', client, '192.168.1.2');
  const query = makeQuery(['short.example', 'A']);
  network.send(waiting, query.bytes);
  const [held] = network.forwarder.questions.splice(0);
  assert.ok(held !== undefined);
  ask(network, longName, 'harmless.test');
  const records = [`short.example 600 CNAME ${alias}`, `${alias} 600 A 198.18.0.1`];
  network.forwarder.reply(held, makeReply(held.question, ['NOERROR'], records));
  assert.equal(isBlocked(answerText(waiting.answer ?? new Uint8Array(0), query)), true);
});

test('an alias that is left unfinished is counted for each answer, also from the cache', async () => {
  const { network, policy } = await networkWith(costly, []);
  for (const count of [1, 2, 3]) {
    assert.equal(isBlocked(ask(network, 'short.example', longName)), false);
    assert.equal(policy.budget.cuts, count);
  }
});

test('an explanation shows the rules that are left unfinished for an alias', async () => {
  const { network } = await networkWith([...costly, aliasRule], costly);
  const name = nameFromText(longName) ?? new Uint8Array(1);
  const address = new Uint8Array([...new Uint8Array(10), 0xff, 0xff, ...(ipBytes(client) ?? [])]);
  const explanation = new Explanation(network.engine, { client: address, name, type: Type.A });
  const { asks } = explanation;
  assert.ok(asks !== undefined);
  const records = [`${longName} 600 CNAME ${longName.slice(2)}`, `${longName.slice(2)} 600 A 198.18.0.1`];
  const reply = makeCleanReply(asks, ['NOERROR'], records);
  const { targets, rules } = explanation.finish({ kind: 'reply', reply, upstream: 0 });
  assert.ok(rules?.rules.every(({ outcome }) => outcome === 'unfinished'));
  const [target] = targets;
  assert.ok(target !== undefined && target.rules.length > 0);
  assert.deepEqual(new Set(target.rules.map(({ outcome }) => outcome)), new Set(['unfinished']));
});
