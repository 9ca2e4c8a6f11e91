// Answers from what we know ourselves: local records and aliases, our own names, zones that are never sent
// out. A local alias may end at a name that only upstreams know; then the query goes on for that name, and
// the aliases are put in front of what comes back.

import { Class, Ede, namesEqual, questionName, Rcode, Section, Type } from '#wire';
import type { Verdict } from '#policy';
import type { QueryContext } from './query-context.ts';
import { kindOf, rcodeOf } from './blocked.ts';
import { ReplyKind } from '../cache/examine.ts';
import type { LocalName } from '../local/local-name.ts';
import { Origin } from '../record/layout.ts';
import type { EngineState } from '../state.ts';

/** Not to be answered here: go on. */
export const undecided = -2;
/** More aliases in a row are taken for a circle. */
const maxAliases = 8;
const absentTtlSeconds = 3600;
const ownTtlSeconds = 60;
const loopText = new TextEncoder().encode('local aliases form a circle, see dns.cnameRecords');

export function answerLocal(engine: EngineState, query: QueryContext, known: LocalName): number {
  switch (known.kind) {
    case 'absent':
      if (engine.forwarder.isLoopProbe(query.view.name, query.view.nameLength))
        return answerProbe(engine, query);
      return negative(engine, query, Rcode.nxDomain);
    case 'empty':
      return negative(engine, query, Rcode.noError);
    case 'own':
      return answerOwn(engine, query);
    case 'forward':
      return undecided;
    case 'records':
      return known.target === undefined ? answerRecords(engine, query, known) : followAliases(engine, query);
  }
}

/** Our own probe came back: an upstream leads to us. One of another server goes its way, back to that one. */
function answerProbe(engine: EngineState, query: QueryContext): number {
  const { name, nameLength } = query.view;
  const token = engine.forwarder.loopAnswer(name.slice(0, nameLength));
  return token === undefined ? undecided : engine.composer.texts(query, [token]);
}

/** A rule that gives an answer of its own. */
export function answerOwnForm(engine: EngineState, query: QueryContext): number {
  const { form } = query.verdict;
  if (form === undefined) return undecided;
  if (form.kind === 'cname') return followAliases(engine, query);
  const { ttlSeconds } = engine.compiled.options.blocking;
  const { composer } = engine;
  const length = composer.form(query, form, ttlSeconds, -1, undefined, engine.compiled.blocked);
  return done(engine, query, length, kindOf(form, composer.writer.answerCount), ttlSeconds, rcodeOf(form));
}

function negative(engine: EngineState, query: QueryContext, rcode: number): number {
  const length = engine.composer.negative(query, rcode, absentTtlSeconds, -1);
  const kind = rcode === Rcode.nxDomain ? ReplyKind.nxDomain : ReplyKind.noData;
  return done(engine, query, length, kind, absentTtlSeconds, rcode);
}

/** What we say of a name that we know when others say that it does not exist: only not in this type. */
export function answerNoData(engine: EngineState, query: QueryContext): number {
  return negative(engine, query, Rcode.noError);
}

/** Types that a local name owns: upstreams are asked for other types, where they can know the name. */
function isOwned(type: number): boolean {
  return (
    type === Type.A || type === Type.AAAA || type === Type.HTTPS || type === Type.SVCB || type === Type.CNAME
  );
}

function answerRecords(engine: EngineState, query: QueryContext, known: LocalName): number {
  const { composer } = engine;
  const { type } = query.view;
  if (known.pointers.length > 0 && type === Type.PTR) return answerPointers(engine, query, known);
  if (!isOwned(type) && known.asksOthers) return undecided;
  const length = composer.addresses(query, known.ipv4, known.ipv6, known.ttlSeconds, -1);
  const kind = composer.writer.answerCount > 0 ? ReplyKind.address : ReplyKind.noData;
  return done(engine, query, length, kind, known.ttlSeconds);
}

function answerPointers(engine: EngineState, query: QueryContext, known: LocalName): number {
  const { composer } = engine;
  composer.begin(query, Rcode.noError);
  addPointers(engine, questionName, known);
  return done(engine, query, composer.finish(query, 0, -1, undefined), ReplyKind.domain, known.ttlSeconds);
}

function addPointers({ composer }: EngineState, owner: Uint8Array, known: LocalName): void {
  for (const pointer of known.pointers)
    composer.writer.addName(Section.answer, owner, Type.PTR, Class.IN, known.ttlSeconds, pointer);
}

function answerOwn(engine: EngineState, query: QueryContext): number {
  const { composer } = engine;
  composer.begin(query, Rcode.noError);
  composer.addOwn(query, questionName, engine.compiled.own, ownTtlSeconds);
  const isThere = composer.writer.answerCount > 0;
  if (!isThere) composer.addSoa(ownTtlSeconds);
  const length = composer.finish(query, 0, -1, undefined);
  return done(engine, query, length, isThere ? ReplyKind.address : ReplyKind.noData, ownTtlSeconds);
}

/** Answers when the aliases end at a name of ours; otherwise leaves the name to ask for in `query.target`. */
function followAliases(engine: EngineState, query: QueryContext): number {
  const { composer } = engine;
  const { view } = query;
  composer.begin(query, Rcode.noError);
  const end = addAliases(engine, query);
  if (end === undefined) return circle(engine, query);
  // A rule that matches its own target too.
  if (namesEqual(end, end.length, view.name, view.nameLength)) return undecided;
  if (view.type === Type.CNAME)
    return done(engine, query, composer.finish(query, 0, -1, undefined), ReplyKind.cname, 0);
  const known = engine.compiled.local.find(end, end.length);
  if (known !== undefined && !isAskedOfOthers(known, view.type)) return endAtOurs(engine, query, end, known);
  query.target = end;
  return undecided;
}

function isAskedOfOthers({ kind, asksOthers }: LocalName, type: number): boolean {
  return kind === 'forward' || (kind === 'records' && asksOthers && !isOwned(type));
}

/**
 * Aliases are written, and they end at a name of ours, or at one that does not exist and is never sent out.
 */
function endAtOurs(engine: EngineState, query: QueryContext, end: Uint8Array, known: LocalName): number {
  const { composer } = engine;
  const { writer } = composer;
  const rcode = known.kind === 'absent' ? Rcode.nxDomain : Rcode.noError;
  if (rcode !== Rcode.noError) {
    composer.begin(query, rcode);
    addAliases(engine, query);
  }
  const aliases = writer.answerCount;
  if (known.kind === 'own') composer.addOwn(query, end, engine.compiled.own, ownTtlSeconds);
  else composer.addAddresses(end, query.view.type, known.ipv4, known.ipv6, known.ttlSeconds);
  if (query.view.type === Type.PTR) addPointers(engine, end, known);
  if (writer.answerCount === aliases)
    composer.addSoa(known.kind === 'records' ? known.ttlSeconds : absentTtlSeconds);
  const length = composer.finish(query, 0, -1, undefined);
  return done(engine, query, length, ReplyKind.cname, known.ttlSeconds, rcode);
}

/** Writes the aliases from the name that was asked to where they end, which is returned. */
export function addAliases(engine: EngineState, query: QueryContext): Uint8Array | undefined {
  const { composer, compiled } = engine;
  const { view } = query;
  const ruled = targetByRule(query.verdict);
  const known = ruled === undefined ? compiled.local.find(view.name, view.nameLength) : undefined;
  const target = ruled ?? known?.target;
  if (target === undefined) return undefined;
  composer.addAlias(questionName, target, known?.ttlSeconds ?? compiled.options.blocking.ttlSeconds);
  // RFC 1034 section 4.3.2: a query for CNAME gets the alias itself.
  return view.type === Type.CNAME ? target : addFurtherAliases(engine, target);
}

function targetByRule({ kind, form }: Verdict): Uint8Array | undefined {
  return kind === 'local' && form?.kind === 'cname' ? form.target : undefined;
}

function addFurtherAliases({ composer, compiled }: EngineState, first: Uint8Array): Uint8Array | undefined {
  let owner = first;
  for (let hops = 1; hops < maxAliases; hops++) {
    const known = compiled.local.find(owner, owner.length);
    if (known?.kind !== 'records' || known.target === undefined) return owner;
    composer.addAlias(owner, known.target, known.ttlSeconds);
    owner = known.target;
  }
  return undefined;
}

function circle(engine: EngineState, query: QueryContext): number {
  const length = engine.composer.error(query, Rcode.servFail, Ede.other, loopText);
  engine.facts.set(Origin.failed, Rcode.servFail, ReplyKind.servFail);
  engine.facts.ede = Ede.other;
  engine.recorder.record(query, engine.facts, engine);
  return length;
}

function done(
  engine: EngineState,
  query: QueryContext,
  length: number,
  replyKind: number,
  ttlSeconds: number,
  rcode: number = Rcode.noError,
): number {
  // By a rule, which has put its own answer in the place of the name's.
  const origin = query.verdict.kind === 'local' ? Origin.blocked : Origin.local;
  engine.facts.set(origin, rcode, replyKind);
  engine.facts.ttlSeconds = ttlSeconds;
  engine.recorder.record(query, engine.facts, engine);
  return length;
}
