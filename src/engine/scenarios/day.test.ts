// Twelve simulated hours of a household of 2,000 names with all kinds of TTLs, upstreams that are slow, fail
// now and then and are away for two hours, in a cache too small for all of it. Every reply of the upstream
// bears a number that comes back in the answers, so that each answer can be traced to what the upstream said,
// and when.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extendedError, fullRcodeOf, nameFromText, Rcode, RecordCursor, Type } from '#wire';
import { readCounters } from '../record/counters.ts';
import { readFigures } from '../record/figures.ts';
import { makeQuery, makeReply } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';
import { Random } from '#testing/random';
import type { Forwarded } from '#testing/engine/scripted-forwarder';

const names = 2000;
const stepMs = 2_000;
const steps = (12 * 3_600_000) / stepMs;
const cacheBytes = 128 * 1024;
const outage = { fromHour: 5, toHour: 7 };
const limits = { minTtlSeconds: 0, maxTtlSeconds: 7200, staleSeconds: 3600, prefetch: true };
const failureSeconds = 5;
const staleTtl = 30;

type Kind = 'positive' | 'nxdomain' | 'nodata';

interface Host {
  readonly text: string;
  readonly key: string;
  readonly query: Uint8Array;
  readonly kind: Kind;
  readonly ttlSeconds: number;
  /** What the upstream said last and when; -1: nothing yet. */
  reply: { readonly number: number; readonly atSeconds: number } | undefined;
  failedAtSeconds: number;
}

class Day {
  readonly network = new Network(
    { ...usualOptions, cache: limits, rateLimit: { ...usualOptions.rateLimit, count: 0 } },
    cacheBytes,
  );
  readonly random = new Random(24);
  readonly hosts: readonly Host[];
  readonly #byKey: ReadonlyMap<string, Host>;
  readonly #cursor = new RecordCursor();
  #underWay: { readonly dueMs: number; readonly forwarded: Forwarded }[] = [];
  #waiting: { readonly ask: SentQuery; readonly host: Host }[] = [];
  #replies = 0;
  answers = 0;
  stale = 0;
  failures = 0;

  constructor() {
    this.hosts = Array.from({ length: names }, (_, index) => this.#host(index));
    this.#byKey = new Map(this.hosts.map((host) => [host.key, host]));
  }

  #host(index: number): Host {
    const text = `h${index}.zone${index % 97}.example`;
    const kind = this.random.one([
      'positive',
      'positive',
      'positive',
      'positive',
      'nxdomain',
      'nodata',
    ] as const);
    const ttlSeconds = this.random.one([0, 1, 5, 30, 60, 300, 300, 3600, 86_400]);
    const query = makeQuery([text, 'A']).bytes;
    return {
      text,
      key: String(nameFromText(text)),
      query,
      kind,
      ttlSeconds,
      reply: undefined,
      failedAtSeconds: -99,
    };
  }

  get nowSeconds(): number {
    return Math.floor(this.network.nowMs / 1000);
  }

  step(): void {
    const { network, random } = this;
    network.passTime(stepMs + random.below(50));
    this.#answerUpstream();
    for (let count = random.below(5); count > 0; count--) this.#ask();
    for (const forwarded of network.forwarder.questions.splice(0))
      this.#underWay.push({ dueMs: network.nowMs + random.below(6000), forwarded });
    const inFlight = this.#underWay.map(({ forwarded }) => String(forwarded.question.name));
    assert.equal(new Set(inFlight).size, inFlight.length, 'one name twice in flight');
    assert.ok(network.engine.cache.usedBytes <= cacheBytes);
    assert.equal(network.engine.waiting, this.#waiting.length);
  }

  /** Some names are asked for all the time, most seldom. */
  #ask(): void {
    const host = this.hosts[Math.floor(names * this.random.fraction() ** 4)];
    assert.ok(host !== undefined);
    const ask = new SentQuery('udp', '192.168.1.10', '192.168.1.2');
    this.network.send(ask, host.query);
    if (ask.answer === undefined) this.#waiting.push({ ask, host });
    else this.#check(host, ask.answer, false);
  }

  #answerUpstream(): void {
    const due = this.#underWay.filter(({ dueMs }) => dueMs <= this.network.nowMs);
    this.#underWay = this.#underWay.filter(({ dueMs }) => dueMs > this.network.nowMs);
    for (const { forwarded } of due) this.#reply(forwarded);
    const done = this.#waiting.filter(({ ask }) => ask.answer !== undefined);
    this.#waiting = this.#waiting.filter(({ ask }) => ask.answer === undefined);
    for (const { ask, host } of done) this.#check(host, ask.answer ?? new Uint8Array(0), true);
  }

  #reply(forwarded: Forwarded): void {
    const { network, random } = this;
    const host = this.#byKey.get(String(forwarded.question.name));
    assert.ok(host !== undefined);
    const hour = ((network.nowMs - 1_000_000) / 3_600_000) % 24;
    const isAway = hour >= outage.fromHour && hour < outage.toHour;
    const dice = isAway ? 0 : random.below(100);
    if (dice < 3) {
      host.failedAtSeconds = this.nowSeconds;
      if (dice < 2) network.forwarder.fail(forwarded, 'timeout');
      else network.forwarder.reply(forwarded, makeReply(forwarded.question, ['SERVFAIL'], []));
      return;
    }
    const number = ++this.#replies;
    host.reply = { number, atSeconds: this.nowSeconds };
    network.forwarder.reply(forwarded, makeReply(forwarded.question, ...replyOf(host, number)));
  }

  #check(host: Host, answer: Uint8Array, isLate: boolean): void {
    this.answers++;
    const { length } = answer;
    const rcode = fullRcodeOf(answer, 0, length);
    if (rcode === Rcode.servFail) return this.#checkFailure(host);
    assert.equal(rcode, host.kind === 'nxdomain' ? Rcode.nxDomain : Rcode.noError);
    const { reply } = host;
    assert.ok(reply !== undefined, 'an answer that the upstream did not give');
    assert.equal(
      this.#numberIn(answer),
      reply.number,
      `${host.text}: not the last thing that the upstream said`,
    );
    const age = this.nowSeconds - reply.atSeconds;
    const given = Math.min(host.ttlSeconds, limits.maxTtlSeconds);
    const ttl = lowestTtl(answer);
    if (extendedError(answer, 0, length) >= 0) return this.#checkStale(ttl, age, given);
    assert.ok(isLate ? age === 0 : age < given, `${host.text} (${given} s) served at ${age} s`);
    return assert.equal(ttl, given - age);
  }

  #checkStale(ttl: number, age: number, given: number): void {
    this.stale++;
    assert.equal(ttl, staleTtl);
    assert.ok(given > 0 && age >= given && age < given + limits.staleSeconds, `stale at ${age} of ${given}`);
  }

  #checkFailure(host: Host): void {
    this.failures++;
    assert.ok(
      this.nowSeconds - host.failedAtSeconds < failureSeconds,
      `${host.text}: a failure for too long`,
    );
  }

  /** The number of the reply: in an address, or in the SOA. */
  #numberIn(answer: Uint8Array): number {
    const cursor = this.#cursor;
    assert.ok(cursor.start(answer, 0, answer.length) && cursor.next());
    const at = cursor.type === Type.SOA ? cursor.dataAt + cursor.dataLength - 20 : cursor.dataAt;
    return new DataView(answer.buffer, answer.byteOffset).getUint32(at) & 0xffffff;
  }

  drain(): void {
    for (let round = 0; round < 10; round++) {
      this.network.passTime(stepMs);
      this.#answerUpstream();
    }
    assert.equal(this.#waiting.length, 0);
    assert.equal(this.network.engine.waiting, 0);
  }
}

function replyOf({ text, kind, ttlSeconds }: Host, number: number): [readonly string[], readonly string[]] {
  const low = [16, 8, 0].map((bits) => (number >> bits) & 0xff).join('.');
  if (kind === 'positive') return [['NOERROR'], [`${text} ${ttlSeconds} A 44.${low}`]];
  const soa = `authority: example ${ttlSeconds} SOA ns.example host.example ${number} 1 1 1 ${ttlSeconds}`;
  return [[kind === 'nxdomain' ? 'NXDOMAIN' : 'NOERROR'], [soa]];
}

const cursor = new RecordCursor();

/** Of all records but OPT, whose TTL is none. */
function lowestTtl(answer: Uint8Array): number {
  const ttls: number[] = [];
  cursor.start(answer, 0, answer.length);
  while (cursor.next()) if (cursor.type !== Type.OPT) ttls.push(cursor.ttlSeconds);
  return Math.min(...ttls);
}

test('in 12 hours of traffic each answer came from the upstream and is within its TTL', () => {
  const day = new Day();
  for (let step = 0; step < steps; step++) day.step();
  day.drain();
  const counters = readCounters([day.network.counters]);
  assert.equal(counters.queries, day.answers);
  const { verdicts, transports, rcodes } = readFigures([day.network.counters]);
  for (const parts of [verdicts, transports, rcodes])
    assert.equal(
      parts.reduce((total, [, count]) => total + count, 0),
      day.answers,
    );
  assert.ok(day.answers > 40_000, `${day.answers} answers`);
  assert.ok(day.stale > 500, `${day.stale} stale answers`);
  assert.ok(day.failures > 50, `${day.failures} failures`);
  const hitRate = (counters.cached + counters.stale) / counters.queries;
  assert.ok(hitRate > 0.5 && hitRate < 0.95, `hit rate ${hitRate}`);
  assert.ok(counters.refreshed > 100, `${counters.refreshed} refreshes`);
});
