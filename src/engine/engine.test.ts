// The engine at its edges: packets that are no queries, listeners without room, more refreshes than a batch
// may begin, and policies that come and go.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyPolicy, pass, type Verdict } from '#policy';
import { Counter, readCounters } from './record/counters.ts';
import { answerText, makeQuery, makeReply, type MadeQuery } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';
import { Random } from '#testing/random';

const client = (): SentQuery => new SentQuery('udp', '192.168.1.10', '192.168.1.2');

function ask(network: Network, words: string): SentQuery & { readonly text: string } {
  const source = client();
  const query = makeQuery(words.split(' '));
  network.send(source, query.bytes);
  return Object.assign(source, { text: textOf(source, query) });
}

const textOf = ({ answer }: SentQuery, query: MadeQuery): string =>
  answer === undefined ? 'waits' : answerText(answer, query);

/** Puts a name into the cache. */
function learn(network: Network, name: string, ttlSeconds = 60): void {
  ask(network, `${name} A`);
  const [asked] = network.forwarder.questions.splice(0);
  assert.ok(asked !== undefined);
  const records = [`${name} ${ttlSeconds} A 198.18.0.1`];
  network.forwarder.reply(asked, makeReply(asked.question, ['NOERROR'], records));
}

describe('packets', () => {
  const header = (flags: number, questions: number, rest = ''): string =>
    `1234${flags.toString(16).padStart(4, '0')}${questions.toString(16).padStart(4, '0')}000000000000${rest}`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['nothing', '', ''],
    ['half a header', '1234010000', ''],
    ['a response', header(0x8100, 1, '0161000001 0001'), ''],
    ['another opcode', header(0x2100, 1, '01610000010001'), '1234a1040000000000000000'],
    ['no question', header(0x0100, 0), '123481010000000000000000'],
    ['two questions', header(0x0100, 2, '0161000001000101610000010001'), '123481010000000000000000'],
    ['a name without an end', header(0x0100, 1, '0561'), '123481010000000000000000'],
    ['a pointer for a name', header(0x0100, 1, 'c00c00010001'), '123481010000000000000000'],
  ];
  for (const [title, packet, expected] of rows)
    test(title, () => {
      const source = client();
      new Network().send(source, Buffer.from(packet.replaceAll(' ', ''), 'hex'));
      assert.equal(Buffer.from(source.answer ?? []).toString('hex'), expected);
    });

  test('random and broken packets never throw and never write outside their buffer', () => {
    const network = new Network({ ...usualOptions, rateLimit: { ...usualOptions.rateLimit, count: 0 } });
    network.forwarder.failsAtOnce = 'busy';
    const random = new Random(8);
    const whole = makeQuery(['www.example.com', 'A', 'option=10:0102030405060708']).bytes;
    for (let round = 0; round < 20_000; round++) {
      const packet = whole.slice(0, random.below(4) === 0 ? random.below(whole.length + 1) : whole.length);
      for (let changes = random.below(4); changes > 0; changes--)
        packet[random.below(packet.length)] = random.below(256);
      const source = new SentQuery(random.below(2) === 0 ? 'udp' : 'tcp', '192.168.1.10', '192.168.1.2');
      network.send(source, packet);
      assert.ok(
        source.answer !== undefined && source.answer.length <= (source.transport.truncates ? 1232 : 4096),
      );
    }
  });
});

describe('limits', () => {
  test('malformed packets from a refused client get no answer', () => {
    const stranger = new SentQuery('udp', '8.8.8.8', '192.168.1.2');
    new Network().send(stranger, makeQuery(['www.example', 'A']).bytes.slice(0, 20));
    assert.equal(stranger.answer?.length, 0);
  });

  test('a query is answered SERVFAIL when the listener has no room, and the next one is answered', () => {
    const network = new Network();
    const full = client();
    full.hold = () => -1;
    const query = makeQuery(['www.example', 'A']);
    network.send(full, query.bytes);
    assert.equal(textOf(full, query), 'SERVFAIL ede=0 "too many queries are in flight"');
    assert.equal(readCounters([network.counters]).overloaded, 1);
    assert.equal(readCounters([network.counters]).failed, 1);
    assert.equal(network.engine.waiting, 0);
    learn(network, 'www.example');
    assert.match(ask(network, 'www.example A').text, /^NOERROR/u);
  });

  test('one batch starts at most 32 refreshes; the others start after their pause', () => {
    const network = new Network();
    const names = Array.from({ length: 40 }, (_, index) => `n${index}.example`);
    for (const name of names) learn(network, name);
    network.passTime(100_000);
    const { engine } = network;
    engine.beginBatch();
    const out = new Uint8Array(4096);
    for (const name of names) {
      const { bytes } = makeQuery([name, 'A']);
      assert.ok(engine.answer(client(), bytes, 0, bytes.length, out, 0, 4096) > 0);
    }
    engine.endBatch();
    assert.equal(network.forwarder.questions.splice(0).length, 32);
    network.passTime(30_000);
    assert.match(ask(network, 'n39.example A').text, /ede=3/u);
    assert.equal(network.forwarder.questions.length, 1);
  });
});

describe('changes while it runs', () => {
  test('a new policy is in force at once, even with the version of the last one', () => {
    const network = new Network();
    learn(network, 'www.example');
    const block: Verdict = {
      kind: 'block',
      reason: 'list',
      rank: 7,
      ruleId: 1,
      listId: 1,
      form: { kind: 'nx' },
      text: '',
    };
    network.engine.setPolicy({ ...emptyPolicy, version: 9, decide: () => block });
    assert.match(ask(network, 'www.example A').text, /^NXDOMAIN/u);
    network.engine.setPolicy({ ...emptyPolicy, version: 9, decideAddress: () => block });
    assert.match(ask(network, 'www.example A').text, /^NXDOMAIN/u);
    network.engine.setPolicy({ ...emptyPolicy, version: 9 });
    assert.match(ask(network, 'www.example A').text, /^NOERROR/u);
  });

  test('a new policy assigns clients to groups again', () => {
    const network = new Network();
    const block: Verdict = {
      kind: 'block',
      reason: 'list',
      rank: 7,
      ruleId: 1,
      listId: 1,
      form: { kind: 'nx' },
      text: '',
    };
    const decide = (_name: Uint8Array, _length: number, _type: number, groups: number): Verdict =>
      groups === 1 ? block : pass;
    learn(network, 'www.example');
    network.engine.setPolicy({ ...emptyPolicy, decide, groupsOf: () => 2 });
    assert.match(ask(network, 'www.example A').text, /^NOERROR/u);
    network.engine.setPolicy({ ...emptyPolicy, decide, groupsOf: () => 1 });
    assert.match(ask(network, 'www.example A').text, /^NXDOMAIN/u);
  });

  test('a reply to a waiting query is decided by the policy in force when the reply arrives', () => {
    const network = new Network();
    const source = client();
    const query = makeQuery(['www.example', 'A']);
    network.send(source, query.bytes);
    network.policy.addAddress('block', '198.18.0.1', ['as', 'nx']);
    const [asked] = network.forwarder.questions.splice(0);
    assert.ok(asked !== undefined);
    network.forwarder.reply(asked, makeReply(asked.question, ['NOERROR'], ['www.example 60 A 198.18.0.1']));
    assert.match(textOf(source, query), /^NXDOMAIN/u);
  });

  test('each origin has its own counter', () => {
    const network = new Network();
    learn(network, 'www.example');
    ask(network, 'www.example A');
    ask(network, 'localhost A');
    const counters = readCounters([network.counters]);
    assert.deepEqual([counters.queries, counters.forwarded, counters.cached, counters.local], [3, 1, 1, 1]);
    assert.equal(Counter.queries, 0);
  });
});
