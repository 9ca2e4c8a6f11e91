// Turns a checked reply of an upstream into a cache entry, with TTLs inside the limits of the settings, and
// with an end. Answers that may not be kept (TTL 0) become entries that are over at once: the queries that
// wait for them are served from the entry, as all others are.

import {
  additionalCount,
  Flag,
  MAX_MESSAGE_BYTES,
  messageFlags,
  putU32,
  Rcode,
  readTtl,
  RecordCursor,
  ttlOffsets,
  u16,
  u32,
} from '#wire';
import type { CleanReply } from '../reply/clean-reply.ts';
import { type AnswerCache, type NewEntry } from './answer-cache.ts';
import { Kept, State } from './entry.ts';
import { Examined } from './examine.ts';
import { lowerOwners } from './lower-owners.ts';

/** A question with what it is found by. */
export interface KeyedQuestion {
  /** Lower-cased wire bytes that end with the root label. */
  readonly name: Uint8Array;
  readonly type: number;
  readonly hash: number;
  /** See `keyOf`. */
  readonly key: number;
}

export interface TtlLimits {
  readonly minTtlSeconds: number;
  readonly maxTtlSeconds: number;
}

/** How long a failure is kept: long enough to stop a storm, short enough not to be noticed (RFC 9520). */
const failureTtlSeconds = 5;
/** RFC 2308 section 5: negative answers without an SOA should not be kept; for seconds they may be. */
const negativeWithoutSoaSeconds = 5;
/** RFC 2308 section 5 recommends hours at most. */
const maxNegativeSeconds = 3 * 3600;
const headerAndTypeBytes = 16;
/** A record takes eleven bytes at least: more do not fit in a message. */
const maxTtls = Math.ceil(MAX_MESSAGE_BYTES / 11);

export class ReplyKeeper {
  readonly #cache: AnswerCache;
  readonly #examined = new Examined();
  readonly #cursor = new RecordCursor();
  readonly #offsets = new Uint16Array(maxTtls);

  constructor(cache: AnswerCache) {
    this.#cache = cache;
  }

  /** The place of the new entry, see `AnswerCache.store`. Changes the bytes of the reply. */
  keep(
    question: KeyedQuestion,
    reply: CleanReply,
    upstream: number,
    nowSeconds: number,
    limits: TtlLimits,
  ): number {
    const { bytes, length } = reply;
    const examined = this.#examined;
    examined.examine(bytes, 0, length, question.type, reply.extendedError);
    const bodyStart = headerAndTypeBytes + question.name.length;
    const ttlCount = ttlOffsets(bytes, 0, length, this.#offsets);
    lowerOwners(bytes, length, this.#cursor);
    this.#clampTtls(bytes, ttlCount, limits);
    const flags = messageFlags(bytes, 0) & ~(Flag.rd | Flag.cd);
    const seconds = this.#keptSeconds(flags, limits);
    this.#boundSoa(bytes, seconds);
    return this.#cache.store({
      name: question.name,
      nameLength: question.name.length,
      hash: question.hash,
      key: question.key,
      state: examined.state | (isFailure(flags & 0xf) ? State.failure : 0),
      body: bytes,
      bodyStart,
      bodyLength: length - bodyStart,
      ttlOffsets: this.#offsets,
      ttlCount,
      storedAt: nowSeconds,
      expiresAt: nowSeconds + seconds,
      answersAndAuthorities: u16(bytes, 6) | (u16(bytes, 8) << 16),
      additionalsAndFlags: additionalCount(bytes, 0) | (flags << 16),
      origin: originOf(upstream, examined),
      addressAndKinds: addressAndKindsOf(examined),
    } satisfies NewEntry);
  }

  #clampTtls(bytes: Uint8Array, count: number, { minTtlSeconds, maxTtlSeconds }: TtlLimits): void {
    for (let i = 0; i < count; i++) {
      const at = this.#offsets[i] ?? 0;
      const ttl = Math.min(Math.max(readTtl(bytes, at), minTtlSeconds), maxTtlSeconds);
      // By the raw value: one with the highest bit set counts as 0, and must not be passed on as it is.
      if (ttl !== u32(bytes, at)) putU32(bytes, at, ttl);
    }
  }

  #keptSeconds(flags: number, { minTtlSeconds, maxTtlSeconds }: TtlLimits): number {
    const rcode = flags & 0xf;
    if (isFailure(rcode)) return failureTtlSeconds;
    // RFC 2181 section 9: what is cut off is no answer for others.
    if ((flags & Flag.tc) !== 0) return 0;
    return Math.min(Math.max(this.#givenSeconds(rcode), minTtlSeconds), maxTtlSeconds);
  }

  /** An alias that leads to nothing holds as long as both the alias and the nothing do. */
  #givenSeconds(rcode: number): number {
    const { answerTtlSeconds, negativeTtlSeconds } = this.#examined;
    const isNegative = rcode === Rcode.nxDomain || answerTtlSeconds < 0 || negativeTtlSeconds >= 0;
    if (!isNegative) return answerTtlSeconds;
    const seconds = negativeSeconds(negativeTtlSeconds);
    return answerTtlSeconds < 0 ? seconds : Math.min(seconds, answerTtlSeconds);
  }

  /** RFC 2308 section 5: clients keep a negative answer for the SOA's TTL, so it ends when ours does. */
  #boundSoa(bytes: Uint8Array, seconds: number): void {
    const at = this.#examined.soaTtlAt;
    if (at > 0 && readTtl(bytes, at) > seconds) putU32(bytes, at, seconds);
  }
}

/** What changes an answer besides its name. */
export function keyOf(type: number, dnssecOk: boolean, checkingDisabled: boolean): number {
  return type | (dnssecOk ? Kept.dnssecOk : 0) | (checkingDisabled ? Kept.checkingDisabled : 0);
}

export function isFailure(rcode: number): boolean {
  return rcode !== Rcode.noError && rcode !== Rcode.nxDomain;
}

function negativeSeconds(soaSeconds: number): number {
  return soaSeconds < 0 ? negativeWithoutSoaSeconds : Math.min(soaSeconds, maxNegativeSeconds);
}

function originOf(upstream: number, examined: Examined): number {
  return ((upstream + 1) & 0xffff) | ((examined.extendedError + 1) << 16);
}

function addressAndKindsOf(examined: Examined): number {
  return (
    examined.firstAddressAt |
    (examined.firstAddressLength << 16) |
    (examined.replyKind << 24) |
    (examined.upstreamBlock << 28)
  );
}
