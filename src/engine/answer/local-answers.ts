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
/** Aliases of aliases of aliases: somebody made a circle. */
const mostAliases = 8;
const absentTtlSeconds = 3600;
const ownTtlSeconds = 60;
const loopText = new TextEncoder().encode('local aliases form a circle, see dns.cnameRecords');

export function answerLocal(engine: EngineState, asked: QueryContext, known: LocalName): number {
  switch (known.kind) {
    case 'absent':
      if (engine.forwarder.isLoopProbe(asked.view.name, asked.view.nameLength))
        return answerProbe(engine, asked);
      return negative(engine, asked, Rcode.nxDomain);
    case 'empty':
      return negative(engine, asked, Rcode.noError);
    case 'own':
      return answerOwn(engine, asked);
    case 'forward':
      return undecided;
    case 'records':
      return known.target === undefined ? answerRecords(engine, asked, known) : followAliases(engine, asked);
  }
}

/** Our own probe came back: an upstream leads to us. One of another server goes its way, back to that one. */
function answerProbe(engine: EngineState, asked: QueryContext): number {
  const { name, nameLength } = asked.view;
  const token = engine.forwarder.loopAnswer(name.slice(0, nameLength));
  return token === undefined ? undecided : engine.composer.texts(asked, [token]);
}

/** A rule that gives an answer of its own. */
export function answerOwnForm(engine: EngineState, asked: QueryContext): number {
  const { form } = asked.verdict;
  if (form === undefined) return undecided;
  if (form.kind === 'cname') return followAliases(engine, asked);
  const { ttlSeconds } = engine.compiled.options.blocking;
  const { composer } = engine;
  const length = composer.form(asked, form, ttlSeconds, -1, undefined, engine.compiled.blocked);
  return done(engine, asked, length, kindOf(form, composer.writer.answerCount), ttlSeconds, rcodeOf(form));
}

function negative(engine: EngineState, asked: QueryContext, rcode: number): number {
  const length = engine.composer.negative(asked, rcode, absentTtlSeconds, -1);
  const kind = rcode === Rcode.nxDomain ? ReplyKind.nxDomain : ReplyKind.noData;
  return done(engine, asked, length, kind, absentTtlSeconds, rcode);
}

/** What we say of a name that we know when others say that it does not exist: only not in this type. */
export function answerNoData(engine: EngineState, asked: QueryContext): number {
  return negative(engine, asked, Rcode.noError);
}

/** Types that a local name owns: others are asked of upstreams when anybody there can know the name. */
const isOwned = (type: number): boolean =>
  type === Type.A || type === Type.AAAA || type === Type.HTTPS || type === Type.SVCB || type === Type.CNAME;

function answerRecords(engine: EngineState, asked: QueryContext, known: LocalName): number {
  const { composer } = engine;
  const { type } = asked.view;
  if (known.pointers.length > 0 && type === Type.PTR) return answerPointers(engine, asked, known);
  if (!isOwned(type) && known.asksOthers) return undecided;
  const length = composer.addresses(asked, known.ipv4, known.ipv6, known.ttlSeconds, -1);
  const kind = composer.writer.answerCount > 0 ? ReplyKind.address : ReplyKind.noData;
  return done(engine, asked, length, kind, known.ttlSeconds);
}

function answerPointers(engine: EngineState, asked: QueryContext, known: LocalName): number {
  const { composer } = engine;
  composer.begin(asked, Rcode.noError);
  addPointers(engine, questionName, known);
  return done(engine, asked, composer.finish(asked, 0, -1, undefined), ReplyKind.domain, known.ttlSeconds);
}

function addPointers({ composer }: EngineState, owner: Uint8Array, known: LocalName): void {
  for (const pointer of known.pointers)
    composer.writer.addName(Section.answer, owner, Type.PTR, Class.IN, known.ttlSeconds, pointer);
}

function answerOwn(engine: EngineState, asked: QueryContext): number {
  const { composer } = engine;
  composer.begin(asked, Rcode.noError);
  composer.addOwn(asked, questionName, engine.compiled.own, ownTtlSeconds);
  const isThere = composer.writer.answerCount > 0;
  if (!isThere) composer.addSoa(ownTtlSeconds);
  const length = composer.finish(asked, 0, -1, undefined);
  return done(engine, asked, length, isThere ? ReplyKind.address : ReplyKind.noData, ownTtlSeconds);
}

/** Answers when the aliases end at a name of ours; otherwise leaves the name to ask for in `asked.target`. */
function followAliases(engine: EngineState, asked: QueryContext): number {
  const { composer } = engine;
  const { view } = asked;
  composer.begin(asked, Rcode.noError);
  const end = addAliases(engine, asked);
  if (end === undefined) return circle(engine, asked);
  // A rule that matches its own target too.
  if (namesEqual(end, end.length, view.name, view.nameLength)) return undecided;
  if (view.type === Type.CNAME)
    return done(engine, asked, composer.finish(asked, 0, -1, undefined), ReplyKind.cname, 0);
  const known = engine.compiled.local.find(end, end.length);
  if (known !== undefined && !isAskedOfOthers(known, view.type)) return endAtOurs(engine, asked, end, known);
  asked.target = end;
  return undecided;
}

const isAskedOfOthers = ({ kind, asksOthers }: LocalName, type: number): boolean =>
  kind === 'forward' || (kind === 'records' && asksOthers && !isOwned(type));

/** Aliases are written, and they end at a name of ours, or at one that is nobody's and never sent out. */
function endAtOurs(engine: EngineState, asked: QueryContext, end: Uint8Array, known: LocalName): number {
  const { composer } = engine;
  const { writer } = composer;
  const rcode = known.kind === 'absent' ? Rcode.nxDomain : Rcode.noError;
  if (rcode !== Rcode.noError) {
    composer.begin(asked, rcode);
    addAliases(engine, asked);
  }
  const aliases = writer.answerCount;
  if (known.kind === 'own') composer.addOwn(asked, end, engine.compiled.own, ownTtlSeconds);
  else composer.addAddresses(end, asked.view.type, known.ipv4, known.ipv6, known.ttlSeconds);
  if (asked.view.type === Type.PTR) addPointers(engine, end, known);
  if (writer.answerCount === aliases)
    composer.addSoa(known.kind === 'records' ? known.ttlSeconds : absentTtlSeconds);
  const length = composer.finish(asked, 0, -1, undefined);
  return done(engine, asked, length, ReplyKind.cname, known.ttlSeconds, rcode);
}

/** Writes the aliases from the name that was asked to where they end, which is returned. */
export function addAliases(engine: EngineState, asked: QueryContext): Uint8Array | undefined {
  const { composer, compiled } = engine;
  const { view } = asked;
  const ruled = targetByRule(asked.verdict);
  const known = ruled === undefined ? compiled.local.find(view.name, view.nameLength) : undefined;
  const target = ruled ?? known?.target;
  if (target === undefined) return undefined;
  composer.addAlias(questionName, target, known?.ttlSeconds ?? compiled.options.blocking.ttlSeconds);
  // RFC 1034 section 4.3.2: who asks for the alias gets the alias.
  return view.type === Type.CNAME ? target : addFurtherAliases(engine, target);
}

const targetByRule = ({ kind, form }: Verdict): Uint8Array | undefined =>
  kind === 'local' && form?.kind === 'cname' ? form.target : undefined;

function addFurtherAliases({ composer, compiled }: EngineState, first: Uint8Array): Uint8Array | undefined {
  let owner = first;
  for (let hops = 1; hops < mostAliases; hops++) {
    const known = compiled.local.find(owner, owner.length);
    if (known?.kind !== 'records' || known.target === undefined) return owner;
    composer.addAlias(owner, known.target, known.ttlSeconds);
    owner = known.target;
  }
  return undefined;
}

function circle(engine: EngineState, asked: QueryContext): number {
  const length = engine.composer.error(asked, Rcode.servFail, Ede.other, loopText);
  engine.facts.set(Origin.failed, Rcode.servFail, ReplyKind.servFail);
  engine.facts.ede = Ede.other;
  engine.recorder.record(asked, engine.facts, engine);
  return length;
}

function done(
  engine: EngineState,
  asked: QueryContext,
  length: number,
  replyKind: number,
  ttlSeconds: number,
  rcode: number = Rcode.noError,
): number {
  // By a rule, which has put its own answer in the place of the name's.
  const origin = asked.verdict.kind === 'local' ? Origin.blocked : Origin.local;
  engine.facts.set(origin, rcode, replyKind);
  engine.facts.ttlSeconds = ttlSeconds;
  engine.recorder.record(asked, engine.facts, engine);
  return length;
}
