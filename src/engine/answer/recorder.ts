// Leaves a record of every answered query in the ring, after the reply, so that the history adds no latency.
// A fixed number of stores into shared memory, no object.

import { pass } from '#policy';
import { u32 } from '#wire';
import type { QueryContext } from './query-context.ts';
import { Counter, rcodePlace, transportsAt, verdictsAt } from '../record/counters.ts';
import {
  Dnssec,
  maxEdeCode,
  Origin,
  reasonNumbers,
  RecordFlag,
  recordHeaderBytes,
  RecordWord,
  verdictNumbers,
} from '../record/layout.ts';
import type { RecordWriter } from '../record/record-ring.ts';
import type { Time } from '../time.ts';

/** What is known of the answer besides the query; filled in by the steps that make it. */
export class AnswerFacts {
  origin = 0;
  rcode = 0;
  replyKind = 0;
  /** -1: none. */
  upstream = -1;
  isAuthentic = false;
  ttlSeconds = 0;
  /** Where the first address stands in the answer; length 0: there is none. */
  addressAt = 0;
  addressLength = 0;
  /** The Extended DNS Error that goes with the answer; -1: none. */
  ede = -1;
  /** How the upstream blocked; counts only when that is where the answer came from. */
  upstreamBlock = 0;
  /** The name that the answer leads to and that is blocked; counts only when that is why it is. */
  target: Uint8Array | undefined;

  set(origin: number, rcode: number, replyKind: number): void {
    this.origin = origin;
    this.rcode = rcode;
    this.replyKind = replyKind;
    this.upstream = -1;
    this.isAuthentic = false;
    this.ttlSeconds = 0;
    this.addressLength = 0;
    this.ede = -1;
  }
}

const mapped = 0xffff;

/** RFC 8914: it travels in an OPT record, which is for those only who sent one. */
function edeNumber(hasEdns: boolean, ede: number): number {
  return hasEdns && ede <= maxEdeCode ? ede + 1 : 0;
}

export class Recorder {
  readonly #ring: RecordWriter;
  readonly #counters: Float64Array;
  /** What to add to the steady clock to get the wall clock. */
  wallOffsetMs = 0;

  constructor(ring: RecordWriter, counters: SharedArrayBuffer) {
    this.#ring = ring;
    this.#counters = new Float64Array(counters);
  }

  count(counter: number, by = 1): void {
    this.#counters[counter] = (this.#counters[counter] ?? 0) + by;
  }

  /** `query.verdict` says which rule spoke. */
  record(query: QueryContext, facts: AnswerFacts, time: Time): void {
    const { view } = query;
    this.count(Counter.queries);
    this.count(facts.origin);
    this.#countHow(query, facts);
    const target = facts.origin === Origin.blockedByTarget ? facts.target : undefined;
    const nameBytes = (view.nameLength + 3) & ~3;
    const at = this.#ring.begin(target === undefined ? nameBytes : nameBytes + target.length);
    if (at < 0) return;
    const { doubles, words } = this.#ring;
    const word = at >> 2;
    doubles[at >> 3] = query.startedMs + this.wallOffsetMs;
    words[word + RecordWord.durationUs] = (time.nowMs - query.startedMs) * 1000;
    this.#writeWho(words, word, query);
    this.#writeHow(words, word, query, facts);
    const name = word + recordHeaderBytes / 4;
    const nameEnd = nameBytes >> 2;
    for (let i = 0; i < nameEnd; i++) words[name + i] = view.nameWords[i] ?? 0;
    if (target !== undefined) this.#writeTarget(at, nameBytes, target);
  }

  #writeTarget(at: number, nameBytes: number, target: Uint8Array): void {
    const { words, bytes } = this.#ring;
    const from = at + recordHeaderBytes + nameBytes;
    const flags = (at >> 2) + RecordWord.typeAndRcode;
    words[flags] = (words[flags] ?? 0) | RecordFlag.hasTarget;
    // As behind the first name, what is left of its last word is zeros.
    words[(from + target.length - 1) >> 2] = 0;
    bytes.set(target, from);
  }

  /** Lets the reader see what was recorded. */
  publish(): void {
    this.#ring.publish();
  }

  /** Before there is a record: one that finds no room is counted all the same. */
  #countHow({ verdict, transport }: QueryContext, { rcode }: AnswerFacts): void {
    this.count(verdict === pass ? verdictsAt : verdictsAt + verdictNumbers[verdict.kind]);
    this.count(transportsAt + transport.number);
    this.count(rcodePlace(rcode));
  }

  #writeWho(words: Int32Array, word: number, { client, verdict }: QueryContext): void {
    words[word + RecordWord.client] = client.a0;
    words[word + RecordWord.client + 1] = client.a1;
    words[word + RecordWord.client + 2] = client.a2;
    words[word + RecordWord.client + 3] = client.a3;
    words[word + RecordWord.ruleId] = verdict.ruleId;
    words[word + RecordWord.listId] = verdict.listId;
  }

  #writeHow(words: Int32Array, word: number, query: QueryContext, facts: AnswerFacts): void {
    const { view, verdict, transport } = query;
    // Nearly all pass: a comparison is quicker than a lookup in the tables.
    const judged = verdict === pass ? 0 : verdictNumbers[verdict.kind] | (reasonNumbers[verdict.reason] << 4);
    const dnssec = facts.isAuthentic ? Dnssec.secure : Dnssec.unknown;
    const came = transport.number | (dnssec << 4);
    const block = facts.origin === Origin.upstreamBlocked ? facts.upstreamBlock << 4 : 0;
    const ede = edeNumber(view.hasEdns, facts.ede);
    words[word + RecordWord.typeAndRcode] =
      view.type | (facts.rcode << 16) | (query.privacy << RecordFlag.privacyShift);
    words[word + RecordWord.how] = facts.origin | block | (judged << 8) | ((facts.upstream + 1) << 16);
    words[word + RecordWord.sizes] =
      view.nameLength |
      (came << 8) |
      (facts.replyKind << 16) |
      ((facts.addressLength >> 2) << 20) |
      (ede << 24);
    words[word + RecordWord.ttlSeconds] = facts.ttlSeconds;
    const address = word + RecordWord.address;
    const { out } = query;
    const from = query.outStart + facts.addressAt;
    if (facts.addressLength === 16) {
      for (let i = 0; i < 4; i++) words[address + i] = u32(out, from + 4 * i);
      return;
    }
    words[address] = 0;
    words[address + 1] = 0;
    words[address + 2] = facts.addressLength === 4 ? mapped : 0;
    words[address + 3] = facts.addressLength === 4 ? u32(out, from) : 0;
  }
}
