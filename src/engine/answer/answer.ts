// The path of a query, written once:
//
//   limit (per client) -> accept (12 header bytes) -> read query -> identify
//     -> decide --block/local--> answer
//          | allow/pass
//        cache --hit--> inspect -> answer
//          | miss
//        coalesce -> upstream -> store -> inspect -> answer (later)
//
// Identify comes before decide, because groups select the rules. Decide comes before the cache, because the
// cache holds upstream data only and survives every change of policy. Everything is synchronous unless it
// forwards, and nothing is allocated for a cached, local or blocked answer.

import { Class, Ede, ignored, Rcode, Type, writeHeaderError } from '#wire';
import { pass } from '#policy';
import type { QueryContext } from './query-context.ts';
import type { QuerySource } from '../query-source.ts';
import { answerBlocked } from './blocked.ts';
import { claimRefresh, Freshness, freshnessOf } from '../cache/freshness.ts';
import { ReplyKind } from '../cache/examine.ts';
import { Welcome } from '../clients/clients.ts';
import { answerFromEntry } from './entry-answers.ts';
import { answerLocal, answerOwnForm, undecided } from './local-answers.ts';
import { Counter } from '../record/counters.ts';
import { Origin } from '../record/layout.ts';
import type { EngineState } from '../state.ts';

function text(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}
const overLimitText = text('too many queries, see dns.rateLimit');
const notCachedText = text('recursion was not desired, and the answer is not known here');

/** The length of the answer, 0 when nothing is sent, `later` when it comes by the source's ticket. */
export function answer(
  engine: EngineState,
  source: QuerySource,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  const { query } = engine;
  const welcome = engine.clients.welcome(source, engine);
  const problem = query.view.read(bytes, start, length);
  if (problem === ignored) return 0;
  if (welcome !== Welcome.answered) return unwelcome(engine, query, welcome, problem);
  query.client.copyFrom(source.client);
  query.transport = source.transport;
  query.local = source.local;
  query.groups = engine.clients.groups;
  query.privacy = engine.clients.privacy;
  query.startedMs = engine.nowMs;
  query.verdict = pass;
  query.target = undefined;
  if (problem !== 0) return unreadable(engine, query, problem);
  const decided = decide(engine, query);
  return decided === undecided ? lookUp(engine, source, query) : decided;
}

/**
 * BADVERS alone leaves a question that can be repeated in the answer (RFC 6891 section 6.1.3), and recorded;
 * of the rest nothing is known but that it came.
 */
function unreadable(engine: EngineState, query: QueryContext, rcode: number): number {
  engine.recorder.count(Counter.malformed);
  const { view } = query;
  if (rcode === Rcode.badVers)
    return recordedLocal(engine, query, rcode, -1, engine.composer.error(query, rcode, -1, undefined));
  return writeHeaderError(query.out, query.outStart, view.bytes, view.start, rcode);
}

/**
 * Not recorded: a flood should not fill the history too. What cannot be read gets no answer, and strangers
 * get no text: the sender may be forged, and the answer would go to a victim.
 */
function unwelcome(engine: EngineState, query: QueryContext, welcome: number, problem: number): number {
  engine.recorder.count(welcome === Welcome.overLimit ? Counter.overLimit : Counter.strangers);
  if (welcome === Welcome.unanswered) engine.recorder.count(Counter.unanswered);
  if (welcome === Welcome.unanswered || (problem !== 0 && problem !== Rcode.badVers)) return 0;
  return welcome === Welcome.stranger
    ? engine.composer.error(query, Rcode.refused, Ede.prohibited, undefined)
    : engine.composer.error(query, Rcode.refused, Ede.other, overLimitText);
}

/** What we know ourselves and what the rules say; `undecided` when others have to be asked. */
function decide(engine: EngineState, query: QueryContext): number {
  const { view } = query;
  const { local, special } = engine.compiled;
  if (view.class !== Class.IN || isMetaType(view.type)) return answerOddity(engine, query);
  const known = local.mayHold(view) ? local.find(view.name, view.nameLength) : undefined;
  if (known !== undefined && known.kind !== 'forward') {
    const length = answerLocal(engine, query, known);
    if (length !== undecided) return length;
  }
  const { budget } = engine.policy;
  budget.renew();
  query.verdict = engine.policy.decide(view.name, view.nameLength, view.type, query.groups);
  const blockedBy = judgeAlias(engine, query);
  query.stepsLeft = budget.left;
  if (query.verdict.kind === 'allow') return undecided;
  const canary = special.mayHold(view) ? special.find(view.name, view.nameLength) : undefined;
  if (canary === undefined) return obey(engine, query, blockedBy);
  // Before rules that block: what the name means to devices hangs on this very answer.
  query.verdict = canary;
  return answerBlocked(engine, query, Origin.special);
}

/**
 * Where a local alias ends is judged as what any answer leads to, before others are asked for it. The origin
 * of an answer that is blocked by then.
 */
function judgeAlias({ policy, facts }: EngineState, query: QueryContext): number {
  const { target, verdict, view } = query;
  if (target === undefined || verdict.kind === 'block' || verdict.kind === 'local') return Origin.blocked;
  const behind = policy.decide(target, target.length, view.type, query.groups);
  if (behind.rank >= verdict.rank || behind.kind === 'local') return Origin.blocked;
  query.verdict = behind;
  facts.target = target;
  return Origin.blockedByTarget;
}

function obey(engine: EngineState, query: QueryContext, blockedBy: number): number {
  const { kind } = query.verdict;
  if (kind === 'block') return answerBlocked(engine, query, blockedBy);
  return kind === 'local' ? answerOwnForm(engine, query) : undecided;
}

export function isMetaType(type: number): boolean {
  return type === Type.OPT || (type >= Type.TKEY && type <= Type.ANY) || type === 0;
}

/** Classes other than IN, and types that are no types of records. */
export function answerOddity(engine: EngineState, query: QueryContext): number {
  const { view } = query;
  const { composer } = engine;
  if (view.class === Class.CH && (view.type === Type.TXT || view.type === Type.ANY)) {
    const texts = engine.compiled.chaos.find(view.name, view.nameLength);
    if (texts !== undefined)
      return recordedLocal(engine, query, Rcode.noError, -1, composer.texts(query, texts), ReplyKind.text);
  }
  if (view.class === Class.IN && view.type === Type.ANY)
    return recordedLocal(engine, query, Rcode.noError, -1, composer.any(query));
  const length = composer.error(query, Rcode.notImp, Ede.notSupported, undefined);
  return recordedLocal(engine, query, Rcode.notImp, Ede.notSupported, length);
}

/** What we answered by ourselves, without a word of the rules. `length` is passed on. */
function recordedLocal(
  engine: EngineState,
  query: QueryContext,
  rcode: number,
  ede: number,
  length: number,
  kind: number = rcode === Rcode.notImp ? ReplyKind.notImp : ReplyKind.other,
): number {
  engine.facts.set(Origin.local, rcode, kind);
  engine.facts.ede = ede;
  engine.recorder.record(query, engine.facts, engine);
  return length;
}

function lookUp(engine: EngineState, source: QuerySource, query: QueryContext): number {
  query.setLookup(engine.hashSeed);
  const place = engine.cache.find(query.lookupName, query.lookupLength, query.hash, query.key);
  const kept = place < 0 ? undecided : answerKept(engine, query, place);
  if (kept !== undecided) return kept;
  return query.view.recursionDesired ? engine.forward(source, query) : notKnownHere(engine, query);
}

/** From the entry at `place`, unless it is too old. A query without RD starts no refresh. */
function answerKept(engine: EngineState, query: QueryContext, place: number): number {
  const { cache, nowSeconds } = engine;
  const freshness = freshnessOf(cache, place, nowSeconds, engine.compiled.options.cache);
  if (freshness === Freshness.gone) return undecided;
  if (freshness !== Freshness.fresh && query.view.recursionDesired && claimRefresh(cache, place, nowSeconds))
    engine.refreshLater(place);
  const origin = freshness === Freshness.stale ? Origin.stale : Origin.cached;
  return answerFromEntry(engine, query, place, origin);
}

function notKnownHere(engine: EngineState, query: QueryContext): number {
  const length = engine.composer.error(query, Rcode.refused, Ede.notAuthoritative, notCachedText);
  engine.facts.set(Origin.failed, Rcode.refused, ReplyKind.refused);
  engine.facts.ede = Ede.notAuthoritative;
  engine.recorder.record(query, engine.facts, engine);
  return length;
}
