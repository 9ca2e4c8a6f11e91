// The way of a query, written once:
//
//   limit (per client) -> accept (12 header bytes) -> read query -> identify
//     -> decide --block/local--> answer
//          | allow/pass
//        cache --hit--> inspect -> answer
//          | miss
//        coalesce -> upstream -> store -> inspect -> answer (later)
//
// Identify comes before decide, because groups select the rules. Decide comes before the cache, because the
// cache holds upstream truth only and survives every change of policy. Everything is synchronous unless it
// forwards, and nothing is allocated for a cached, local or blocked answer.

import { Class, Ede, hashName, ignored, Rcode, Type, writeHeaderError } from '#wire';
import { pass } from '#policy';
import type { QueryContext } from './query-context.ts';
import type { QuerySource } from '../query-source.ts';
import { answerBlocked } from './blocked.ts';
import { claimRefresh, Freshness, freshnessOf } from '../cache/freshness.ts';
import { keyOf } from '../cache/reply-keeper.ts';
import { ReplyKind } from '../cache/examine.ts';
import { Welcome } from '../clients/clients.ts';
import { answerFromEntry } from './entry-answers.ts';
import { answerLocal, answerOwnForm, undecided } from './local-answers.ts';
import { Counter } from '../record/counters.ts';
import { Origin } from '../record/layout.ts';
import type { EngineState } from '../state.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const overLimitText = text('too many queries, see dns.rateLimit');
const notCachedText = text('recursion was not desired, and the answer is not known here');

/** The length of the answer, 0 when nothing is sent, `later` when it comes by the asker's ticket. */
export function answer(
  engine: EngineState,
  asker: QuerySource,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  const { asked } = engine;
  const welcome = engine.clients.welcome(asker, engine);
  const problem = asked.view.read(bytes, start, length);
  if (problem === ignored) return 0;
  if (welcome !== Welcome.answered) return unwelcome(engine, asked, welcome, problem);
  asked.client.copyFrom(asker.client);
  asked.transport = asker.transport;
  asked.local = asker.local;
  asked.groups = engine.clients.groups;
  asked.privacy = engine.clients.privacy;
  asked.startedMs = engine.nowMs;
  asked.verdict = pass;
  asked.target = undefined;
  if (problem !== 0) return unreadable(engine, asked, problem);
  const decided = decide(engine, asked);
  return decided === undecided ? lookUp(engine, asker, asked) : decided;
}

/**
 * BADVERS alone leaves a question that can be repeated in the answer (RFC 6891 section 6.1.3), and recorded;
 * of the rest nothing is known but that it came.
 */
function unreadable(engine: EngineState, asked: QueryContext, rcode: number): number {
  engine.recorder.count(Counter.malformed);
  const { view } = asked;
  if (rcode === Rcode.badVers)
    return recordedLocal(engine, asked, rcode, -1, engine.composer.error(asked, rcode, -1, undefined));
  return writeHeaderError(asked.out, asked.outStart, view.bytes, view.start, rcode);
}

/**
 * Not recorded: whoever floods us should not fill the history too. What cannot be read gets no answer, and
 * strangers get no text: their answers may go to somebody who never asked.
 */
function unwelcome(engine: EngineState, asked: QueryContext, welcome: number, problem: number): number {
  engine.recorder.count(welcome === Welcome.overLimit ? Counter.overLimit : Counter.strangers);
  if (welcome === Welcome.unanswered) engine.recorder.count(Counter.unanswered);
  if (welcome === Welcome.unanswered || (problem !== 0 && problem !== Rcode.badVers)) return 0;
  return welcome === Welcome.stranger
    ? engine.composer.error(asked, Rcode.refused, Ede.prohibited, undefined)
    : engine.composer.error(asked, Rcode.refused, Ede.other, overLimitText);
}

/** What we know ourselves and what the rules say; `undecided` when others have to be asked. */
function decide(engine: EngineState, asked: QueryContext): number {
  const { view } = asked;
  const { local, special } = engine.compiled;
  if (view.class !== Class.IN || isMetaType(view.type)) return answerOddity(engine, asked);
  const known = local.mayHold(view) ? local.find(view.name, view.nameLength) : undefined;
  if (known !== undefined && known.kind !== 'forward') {
    const length = answerLocal(engine, asked, known);
    if (length !== undecided) return length;
  }
  const { budget } = engine.policy;
  budget.renew();
  asked.verdict = engine.policy.decide(view.name, view.nameLength, view.type, asked.groups);
  const blockedBy = judgeAlias(engine, asked);
  asked.stepsLeft = budget.left;
  if (asked.verdict.kind === 'allow') return undecided;
  const canary = special.mayHold(view) ? special.find(view.name, view.nameLength) : undefined;
  if (canary === undefined) return obey(engine, asked, blockedBy);
  // Before rules that block: what the name means to devices hangs on this very answer.
  asked.verdict = canary;
  return answerBlocked(engine, asked, Origin.special);
}

/**
 * Where a local alias ends is judged as what any answer leads to, before others are asked for it. The origin
 * of an answer that is blocked by then.
 */
function judgeAlias({ policy, facts }: EngineState, asked: QueryContext): number {
  const { target, verdict, view } = asked;
  if (target === undefined || verdict.kind === 'block' || verdict.kind === 'local') return Origin.blocked;
  const behind = policy.decide(target, target.length, view.type, asked.groups);
  if (behind.rank >= verdict.rank || behind.kind === 'local') return Origin.blocked;
  asked.verdict = behind;
  facts.target = target;
  return Origin.blockedByTarget;
}

function obey(engine: EngineState, asked: QueryContext, blockedBy: number): number {
  const { kind } = asked.verdict;
  if (kind === 'block') return answerBlocked(engine, asked, blockedBy);
  return kind === 'local' ? answerOwnForm(engine, asked) : undecided;
}

export const isMetaType = (type: number): boolean =>
  type === Type.OPT || (type >= Type.TKEY && type <= Type.ANY) || type === 0;

/** Classes other than IN, and types that are no types of records. */
export function answerOddity(engine: EngineState, asked: QueryContext): number {
  const { view } = asked;
  const { composer } = engine;
  if (view.class === Class.CH && (view.type === Type.TXT || view.type === Type.ANY)) {
    const texts = engine.compiled.chaos.find(view.name, view.nameLength);
    if (texts !== undefined)
      return recordedLocal(engine, asked, Rcode.noError, -1, composer.texts(asked, texts), ReplyKind.text);
  }
  if (view.class === Class.IN && view.type === Type.ANY)
    return recordedLocal(engine, asked, Rcode.noError, -1, composer.any(asked));
  const length = composer.error(asked, Rcode.notImp, Ede.notSupported, undefined);
  return recordedLocal(engine, asked, Rcode.notImp, Ede.notSupported, length);
}

/** What we answered by ourselves, without a word of the rules. `length` is passed on. */
function recordedLocal(
  engine: EngineState,
  asked: QueryContext,
  rcode: number,
  ede: number,
  length: number,
  kind: number = rcode === Rcode.notImp ? ReplyKind.notImp : ReplyKind.other,
): number {
  engine.facts.set(Origin.local, rcode, kind);
  engine.facts.ede = ede;
  engine.recorder.record(asked, engine.facts, engine);
  return length;
}

function lookUp(engine: EngineState, asker: QuerySource, asked: QueryContext): number {
  const { view, target } = asked;
  const name = target ?? view.name;
  const nameLength = target === undefined ? view.nameLength : target.length;
  const hash = target === undefined ? view.hash : hashName(target, nameLength, engine.hashSeed);
  const key = keyOf(view.type, view.dnssecOk, view.checkingDisabled);
  const place = engine.cache.find(name, nameLength, hash, key);
  const kept = place < 0 ? undecided : answerKept(engine, asked, place);
  if (kept !== undecided) return kept;
  return view.recursionDesired ? engine.forward(asker, asked) : notKnownHere(engine, asked);
}

/** From the entry at `place`, unless it is too old; whoever wants no recursion makes nobody ask either. */
function answerKept(engine: EngineState, asked: QueryContext, place: number): number {
  const { cache, nowSeconds } = engine;
  const freshness = freshnessOf(cache, place, nowSeconds, engine.compiled.options.cache);
  if (freshness === Freshness.gone) return undecided;
  if (freshness !== Freshness.fresh && asked.view.recursionDesired && claimRefresh(cache, place, nowSeconds))
    engine.refreshLater(place);
  const origin = freshness === Freshness.stale ? Origin.stale : Origin.cached;
  return answerFromEntry(engine, asked, place, origin);
}

function notKnownHere(engine: EngineState, asked: QueryContext): number {
  const length = engine.composer.error(asked, Rcode.refused, Ede.notAuthoritative, notCachedText);
  engine.facts.set(Origin.failed, Rcode.refused, ReplyKind.refused);
  engine.facts.ede = Ede.notAuthoritative;
  engine.recorder.record(asked, engine.facts, engine);
  return length;
}
