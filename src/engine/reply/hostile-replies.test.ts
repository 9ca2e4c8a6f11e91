// Replies that lie, against a plain second opinion: dns-packet reads what came and what went out, and the
// rule of which answers belong to a question is written down once more, without bytes. Then replies with
// broken bytes: whatever is passed on is sound, now and when its TTLs have run down.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode, type Answer } from 'dns-packet';
import * as fc from '../../../test/running/properties.ts';
import { MessageCheck, Rcode, rcodeOf } from '#wire';
import { readCounters } from '../record/counters.ts';
import { makeQuery } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';

const asked = 'www.example';
const universe = [
  asked,
  'a.example',
  'b.test',
  'c.b.test',
  'www.c.b.test',
  'example',
  'test',
  'evil',
  'bank.evil',
];
const name = fc.constantFrom(...universe);
/** From some zones to others, so that a chain has an end. */
const redirected = fc.constantFrom('example', 'test', 'b.test', 'c.b.test');
const elsewhere = fc.constantFrom('evil', 'bank.evil');
const ttl = fc.oneof(fc.nat(100), fc.constantFrom(0x7fffffff, 0x80000000, 0xffffffff));
const address = fc.constantFrom('198.18.0.1', '198.18.0.2', '192.168.1.1', '127.0.0.1');

const record: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ type: fc.constant('A' as const), name, ttl, data: address }),
  fc.record({ type: fc.constant('CNAME' as const), name, ttl, data: name }),
  fc.record({ type: fc.constant('DNAME' as const), name: redirected, ttl, data: elsewhere }),
  fc.record({ type: fc.constant('NS' as const), name, ttl, data: name }),
);
const section = fc.array(record, { maxLength: 7 });

const check = new MessageCheck();
const unlimited = { ...usualOptions, rateLimit: { ...usualOptions.rateLimit, count: 0 } };

const isBelow = (one: string, zone: string): boolean => one === zone || one.endsWith(`.${zone}`);

/** The names that answers may have, by CNAME and DNAME from the question on. */
function chainOf(answers: readonly Answer[]): Set<string> {
  const chain = new Set([asked]);
  for (const link of chain) {
    for (const { type, name: owner, data } of aliases(answers)) {
      if (type === 'CNAME' && owner === link) chain.add(data);
      const isFree = !answers.some((answer) => answer.name === link);
      if (type === 'DNAME' && owner !== link && isBelow(link, owner) && isFree)
        chain.add(link.slice(0, -owner.length) + data);
    }
  }
  return chain;
}

function aliases(answers: readonly Answer[]): { type: string; name: string; data: string }[] {
  return answers.flatMap((answer) => (answer.type === 'CNAME' || answer.type === 'DNAME' ? [answer] : []));
}

/** A DNAME may also stand above a name of the chain that has no records, or the CNAME which it makes. */
function belongs(answer: Answer, answers: readonly Answer[]): boolean {
  const chain = chainOf(answers);
  if (chain.has(answer.name)) return true;
  if (answer.type !== 'DNAME') return false;
  const below = [...chain].filter((link) => isBelow(link, answer.name));
  return below.some((link) => {
    const own = answers.filter((other) => other.name === link);
    const made = link.slice(0, -answer.name.length) + answer.data;
    return own.length === 0 || own.some((other) => other.type === 'CNAME' && other.data === made);
  });
}

const isPrivate = (answer: Answer): boolean =>
  answer.type === 'A' && (answer.data.startsWith('192.168.') || answer.data.startsWith('127.'));

const text = (answer: Answer): string =>
  `${answer.name} ${answer.type} ${'data' in answer ? JSON.stringify(answer.data) : ''}`.toLowerCase();

function replyOf(answers: Answer[], authorities: Answer[], additionals: Answer[]): Uint8Array {
  const questions = [{ type: 'A' as const, name: asked }];
  return encode({ type: 'response', flags: 0x80, questions, answers, authorities, additionals });
}

const network = new Network(unlimited);

/** What a client gets when this is the reply to its question, and what it gets after some seconds. */
function passedOn(reply: Uint8Array): Uint8Array[] {
  network.engine.flushCache(undefined);
  const query = makeQuery([asked, 'A', 'tcp']).bytes;
  const first = new SentQuery('tcp', '192.168.1.10', '192.168.1.2');
  network.send(first, query);
  const [forwarded] = network.forwarder.questions.splice(0);
  assert.ok(forwarded !== undefined);
  network.forwarder.reply(forwarded, reply);
  network.passTime(9000);
  const second = new SentQuery('tcp', '192.168.1.10', '192.168.1.2');
  network.send(second, query);
  const answers = [first.answer, second.answer].filter((answer) => answer !== undefined);
  for (const again of network.forwarder.questions.splice(0)) network.forwarder.fail(again, 'busy');
  return answers;
}

function assertSound(answer: Uint8Array): Answer[] {
  assert.ok(
    check.isSound(answer, 0, answer.length) && !check.hasOddPointers,
    Buffer.from(answer).toString('hex'),
  );
  const packet = decode(Buffer.from(answer));
  const all = [packet.answers, packet.authorities, packet.additionals].flatMap((records) => records ?? []);
  const records = all.filter(({ type }) => type !== 'OPT');
  for (const one of records) {
    assert.ok(!('ttl' in one) || (one.ttl ?? 0) <= 86_400, `the TTL of ${text(one)}`);
    assert.ok(!isPrivate(one), text(one));
  }
  return packet.answers ?? [];
}

/** A reply to another question. */
const isAllForeign = (answers: readonly Answer[]): boolean =>
  answers.length > 0 && !answers.some((answer) => belongs(answer, answers));

test('answers of names outside the chain are dropped, the others are passed on in order', () => {
  fc.assert(
    fc.property(section, section, section, (answers, authorities, additionals) => {
      fc.pre(!isAllForeign(answers));
      const expected = answers.filter((answer) => belongs(answer, answers) && !isPrivate(answer));
      for (const answer of passedOn(replyOf(answers, authorities, additionals)))
        assert.deepEqual(assertSound(answer).map(text), expected.map(text));
    }),
    { numRuns: 400 },
  );
});

test('a reply whose answers all have names outside the chain becomes SERVFAIL', () => {
  fc.assert(
    fc.property(section, section, section, (answers, authorities, additionals) => {
      fc.pre(isAllForeign(answers));
      const [answer = new Uint8Array(0)] = passedOn(replyOf(answers, authorities, additionals));
      assert.deepEqual([rcodeOf(answer, 0), assertSound(answer)], [Rcode.servFail, []]);
    }),
    { numRuns: 400 },
  );
});

test('authority and additional records of foreign zones are dropped', () => {
  fc.assert(
    fc.property(section, section, section, (answers, authorities, additionals) => {
      fc.pre(!isAllForeign(answers));
      const chain = [...chainOf(answers)];
      const zones = authorities.filter(
        ({ type, name: zone }) => type === 'NS' && chain.some((link) => isBelow(link, zone)),
      );
      const [answer = new Uint8Array(0)] = passedOn(replyOf(answers, authorities, additionals));
      const packet = decode(Buffer.from(answer));
      const found = packet.authorities?.filter(({ type }) => type !== 'SOA') ?? [];
      assert.deepEqual(found.map(text), zones.map(text));
      const targets = [...answers, ...zones].flatMap((one) => (one.type === 'NS' ? [one.data] : []));
      const below = targets.filter((target) => chain.some((link) => isBelow(target, link)));
      for (const more of packet.additionals ?? [])
        assert.ok(more.type === 'OPT' || [...chain, ...below].includes(more.name), text(more));
    }),
    { numRuns: 400 },
  );
});

test('dropped records are counted', () => {
  const counted = (): number => readCounters([network.counters]).foreignRecords;
  const before = counted();
  const foreign: Answer = { type: 'A', name: 'bank.evil', ttl: 60, data: '198.18.0.2' };
  passedOn(replyOf([{ type: 'A', name: asked, ttl: 60, data: '198.18.0.1' }, foreign], [foreign], [foreign]));
  assert.equal(counted() - before, 3);
});

test('the records of a reply that is refused as a whole are counted as dropped', () => {
  const counted = (): number => readCounters([network.counters]).foreignRecords;
  const before = counted();
  const foreign: Answer = { type: 'A', name: 'bank.evil', ttl: 60, data: '198.18.0.2' };
  const [answer = new Uint8Array(12)] = passedOn(replyOf([foreign, foreign], [], [foreign]));
  assert.deepEqual([rcodeOf(answer, 0), counted() - before], [Rcode.servFail, 3]);
});

const pointer = fc.record({ at: fc.nat(400), value: fc.integer({ min: 0xc000, max: 0xc000 + 300 }) });
const byte = fc.record({ at: fc.nat(400), value: fc.nat(255) });

test('a reply with mutated bytes is passed on well-formed, or not at all', () => {
  let [soundCount, failedCount] = [0, 0];
  fc.assert(
    fc.property(
      section,
      section,
      fc.array(fc.oneof(pointer, byte), { maxLength: 4 }),
      (answers, rest, broken) => {
        const reply = Buffer.from(replyOf(answers, rest, []));
        for (const { at, value } of broken) {
          const place = 29 + (at % Math.max(1, reply.length - 30));
          if (place + 2 > reply.length) continue;
          if (value > 255) reply.writeUInt16BE(value, place);
          else reply.writeUInt8(value, place);
        }
        const [answer = new Uint8Array(0)] = passedOn(reply);
        const found = assertSound(answer);
        assert.deepEqual(found.filter((one) => !belongs(one, found)).map(text), []);
        if (rcodeOf(answer, 0) === Rcode.servFail) failedCount += 1;
        else soundCount += 1;
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(soundCount > 100 && failedCount > 100, `${soundCount} passed on, ${failedCount} refused`);
});
