// The last steps for an answer that stands in the cache, whether it was there before or has just come:
// inspect where it leads, and write it, as it is or, where private addresses go or local aliases come, record
// by record.

import { Ede, Flag, Rcode } from '#wire';
import type { QueryContext } from './query-context.ts';
import { answerBlocked } from './blocked.ts';
import { Entry, State } from '../cache/entry.ts';
import {
  addressAtOf,
  addressLengthOf,
  extendedErrorOf,
  flagsOf,
  replyKindOf,
  stateOf,
  upstreamBlockOf,
  upstreamOf,
} from '../cache/entry-facts.ts';
import { serveEntry } from './serve-entry.ts';
import { answerNoData } from './local-answers.ts';
import { Origin } from '../record/layout.ts';
import { rewriteEntry, rewrittenKind } from './rewrite.ts';
import type { EngineState } from '../state.ts';

export function answerFromEntry(
  engine: EngineState,
  query: QueryContext,
  place: number,
  origin: number,
): number {
  const { cache, composer } = engine;
  if (query.verdict.rank > 0) judgeTargets(engine, query, place);
  if (query.verdict.kind === 'block') return answerBlocked(engine, query, Origin.blockedByTarget);
  if (isKnownHere(engine, query, place)) return answerNoData(engine, query);
  const ede = edeFor(engine, place, origin);
  const hidesPrivate = mustHidePrivate(engine, query, place);
  const isPlain = query.target === undefined && !hidesPrivate;
  const length = isPlain
    ? serveEntry(composer, cache, place, query, engine.nowSeconds, ede)
    : rewriteEntry(engine, query, place, ede, hidesPrivate);
  const kind = isPlain ? replyKindOf(cache.words, place) : rewrittenKind(engine, place, hidesPrivate);
  engine.facts.set(originOf(engine, query, place, origin), flagsOf(cache.words, place) & 0xf, kind);
  note(engine, query, place, isPlain, ede);
  return length;
}

/**
 * The verdict in the earlier row of the table of precedence counts: that of the name, or that of a target.
 */
function judgeTargets(
  { cache, facts, inspector, policy }: EngineState,
  query: QueryContext,
  place: number,
): void {
  // Other queries have been answered since, when the answer comes late.
  policy.budget.left = query.stepsLeft;
  const found = inspector.inspect(policy, cache, place, query.view.type, query.groups);
  if (found.rank >= query.verdict.rank) return;
  // The alias that a rule answers with is written by its verdict.
  if (found.kind === 'allow' && query.verdict.kind === 'local') return;
  query.verdict = found;
  facts.target = inspector.target;
}

/** A name that a rule answers with an alias is not what the client gets, wherever the rest comes from. */
function originOf(engine: EngineState, { verdict }: QueryContext, place: number, origin: number): number {
  if (verdict.kind === 'local') return Origin.blocked;
  return upstreamBlockOf(engine.cache.words, place) === 0 ? origin : Origin.upstreamBlocked;
}

function edeFor(engine: EngineState, place: number, origin: number): number {
  const { words } = engine.cache;
  const rcode = flagsOf(words, place) & 0xf;
  if (origin === Origin.stale) return rcode === Rcode.nxDomain ? Ede.staleNxdomainAnswer : Ede.staleAnswer;
  const isFailure = (stateOf(words, place) & State.failure) !== 0;
  return isFailure && origin === Origin.cached ? Ede.cachedError : extendedErrorOf(words, place);
}

/**
 * Upstreams say that a name does not exist which has local records of other types: NXDOMAIN would deny those
 * too (RFC 8020).
 */
function isKnownHere(
  { cache, compiled }: EngineState,
  { view, target }: QueryContext,
  place: number,
): boolean {
  if (target !== undefined || (flagsOf(cache.words, place) & 0xf) !== Rcode.nxDomain) return false;
  const { local } = compiled;
  return local.mayHold(view) && local.find(view.name, view.nameLength)?.kind === 'records';
}

/** Rebinding protection: a public name that leads into the own network. */
function mustHidePrivate(engine: EngineState, { view }: QueryContext, place: number): boolean {
  if ((stateOf(engine.cache.words, place) & State.privateAddresses) === 0) return false;
  const { options, rebindExempt } = engine.compiled;
  if (!options.rebind.active) return false;
  return !rebindExempt.mayHold(view) || rebindExempt.find(view.name, view.nameLength) === undefined;
}

function note(engine: EngineState, query: QueryContext, place: number, isPlain: boolean, ede: number): void {
  const { cache, facts, nowSeconds } = engine;
  const { words } = cache;
  facts.ede = ede;
  facts.upstream = upstreamOf(words, place);
  facts.upstreamBlock = upstreamBlockOf(words, place);
  facts.isAuthentic = (flagsOf(words, place) & Flag.ad) !== 0;
  facts.ttlSeconds = Math.max((words[place + Entry.expiresAt] ?? 0) - nowSeconds, 0);
  if (isPlain && !engine.composer.writer.isTruncated) {
    facts.addressAt = addressAtOf(words, place);
    facts.addressLength = addressLengthOf(words, place);
  }
  engine.recorder.record(query, facts, engine);
}
