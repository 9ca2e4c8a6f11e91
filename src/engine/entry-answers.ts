// The last steps for an answer that stands in the cache, whether it was there before or has just come: inspect
// where it leads, take private addresses out, put local aliases in front, and write it.

import { Class, Ede, Flag, NAME_BUFFER_BYTES, Rcode, readName, RecordCursor, Section, Type } from '#wire';
import type { Asked } from './asked.ts';
import { answerBlocked } from './blocked.ts';
import { Entry, State } from './cache/entry.ts';
import {
  extendedErrorOf,
  flagsOf,
  replyKindOf,
  stateOf,
  upstreamBlockOf,
  upstreamOf,
} from './cache/entry-facts.ts';
import { writeEntryMessage } from './cache/entry-message.ts';
import { serveEntry, staleTtlSeconds } from './cache/serve-entry.ts';
import { addAliases } from './local-answers.ts';
import { isPrivateAddress } from './private-address.ts';
import { Origin } from './record/layout.ts';
import type { EngineState } from './state.ts';

const largestMessage = 65_535;
const message = new Uint8Array(largestMessage);
const ownerName = new Uint8Array(NAME_BUFFER_BYTES);
const targetName = new Uint8Array(NAME_BUFFER_BYTES);
const cursor = new RecordCursor();

export function answerFromEntry(engine: EngineState, asked: Asked, place: number, origin: number): number {
  const { cache, composer, inspector, policy } = engine;
  if (asked.verdict.kind !== 'allow') {
    const verdict = inspector.inspect(policy, cache, place, asked.view.type, asked.groups);
    if (verdict.kind === 'block') {
      asked.verdict = verdict;
      return answerBlocked(engine, asked, Origin.blockedByTarget);
    }
  }
  const ede = edeFor(engine, place, origin);
  const isPlain = asked.target === undefined && !mustHidePrivate(engine, asked, place);
  const length = isPlain
    ? serveEntry(composer, cache, place, asked, engine.nowSeconds, ede)
    : rewrite(engine, asked, place, ede);
  note(engine, asked, place, originOf(engine, place, origin), isPlain);
  return length;
}

const originOf = (engine: EngineState, place: number, origin: number): number =>
  upstreamBlockOf(engine.cache.words, place) === 0 ? origin : Origin.upstreamBlocked;

function edeFor(engine: EngineState, place: number, origin: number): number {
  const { words } = engine.cache;
  const rcode = flagsOf(words, place) & 0xf;
  if (origin === Origin.stale) return rcode === Rcode.nxDomain ? Ede.staleNxdomainAnswer : Ede.staleAnswer;
  const isFailure = (stateOf(words, place) & State.failure) !== 0;
  return isFailure && origin === Origin.cached ? Ede.cachedError : extendedErrorOf(words, place);
}

/** Rebinding protection: a public name that leads into the own network. */
function mustHidePrivate(engine: EngineState, { view }: Asked, place: number): boolean {
  if ((stateOf(engine.cache.words, place) & State.privateAddresses) === 0) return false;
  const { options, rebindExempt } = engine.compiled;
  return options.rebind.active && rebindExempt.find(view.name, view.nameLength) === undefined;
}

/** Record by record, for the answers that cannot go out as they were kept. */
function rewrite(engine: EngineState, asked: Asked, place: number, ede: number): number {
  const { cache, composer } = engine;
  const length = writeEntryMessage(cache, place, message);
  composer.begin(asked, flagsOf(cache.words, place) & 0xf, Flag.ra);
  if (asked.target !== undefined) addAliases(engine, asked);
  const hidesPrivate = mustHidePrivate(engine, asked, place);
  const passed = engine.nowSeconds - (cache.words[place + Entry.storedAt] ?? 0);
  if (cursor.start(message, 0, length))
    while (cursor.next() && cursor.section === Section.answer)
      if (!hidesPrivate || !isPrivateRecord()) copyRecord(engine, length, passed);
  if (composer.writer.answerCount === 0) composer.addSoa(staleTtlSeconds);
  return composer.finish(asked, 0, ede, undefined);
}

function isPrivateRecord(): boolean {
  const { type, dataAt, dataLength } = cursor;
  const isAddress = (type === Type.A && dataLength === 4) || (type === Type.AAAA && dataLength === 16);
  return isAddress && isPrivateAddress(message, dataAt, dataLength);
}

/** Names inside the data are written anew, because their pointers mean nothing at another place. */
function copyRecord(engine: EngineState, length: number, passedSeconds: number): void {
  const { writer } = engine.composer;
  const { type, dataAt, dataLength } = cursor;
  const ttlSeconds = Math.max(cursor.ttlSeconds - passedSeconds, 0);
  if (readName(message, 0, cursor.nameAt, length, ownerName) < 0) return;
  if (type === Type.CNAME || type === Type.DNAME || type === Type.PTR || type === Type.NS) {
    if (readName(message, 0, dataAt, length, targetName) < 0) return;
    writer.addName(Section.answer, ownerName, type, Class.IN, ttlSeconds, targetName);
  } else if (type !== Type.MX && type !== Type.SOA)
    writer.add(Section.answer, ownerName, type, Class.IN, ttlSeconds, message, dataAt, dataLength);
}

function note(engine: EngineState, asked: Asked, place: number, origin: number, isPlain: boolean): void {
  const { cache, facts, nowSeconds } = engine;
  const { words } = cache;
  const flags = flagsOf(words, place);
  facts.set(origin, flags & 0xf, replyKindOf(words, place));
  facts.upstream = upstreamOf(words, place);
  facts.isAuthentic = (flags & Flag.ad) !== 0;
  facts.ttlSeconds = Math.max((words[place + Entry.expiresAt] ?? 0) - nowSeconds, 0);
  const first = words[place + Entry.firstAddress] ?? 0;
  if (isPlain && !engine.composer.writer.isTruncated) {
    facts.addressAt = first & 0xffff;
    facts.addressLength = first >>> 16;
  }
  engine.recorder.record(asked, facts, engine.nowMs);
}
