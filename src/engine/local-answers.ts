// Answers from what we know ourselves: local records and aliases, our own names, zones that are never sent
// out. A local alias may end at a name that only upstreams know; then the query goes on for that name, and the
// aliases are put in front of what comes back.

import { Class, Ede, questionName, Rcode, Section, Type } from '#wire';
import type { Asked } from './asked.ts';
import { ReplyKind } from './cache/examine.ts';
import type { LocalName } from './local/local-name.ts';
import { Origin } from './record/layout.ts';
import type { EngineState } from './state.ts';

/** Not to be answered here: go on. */
export const undecided = -2;
/** Aliases of aliases of aliases: somebody made a circle. */
const mostAliases = 8;
const absentTtlSeconds = 3600;
const ownTtlSeconds = 60;
const loopText = new TextEncoder().encode('local aliases form a circle, see dns.cnameRecords');

export function answerLocal(
  engine: EngineState,
  asked: Asked,
  known: LocalName,
  origin: number = Origin.local,
): number {
  switch (known.kind) {
    case 'absent':
      if (engine.forwarder.isLoopProbe(asked.view.name, asked.view.nameLength))
        return answerProbe(engine, asked);
      return negative(engine, asked, Rcode.nxDomain, origin);
    case 'empty':
      return negative(engine, asked, Rcode.noError, origin);
    case 'own':
      return answerOwn(engine, asked);
    case 'forward':
      return undecided;
    case 'records':
      return known.target === undefined ? answerRecords(engine, asked, known) : followAliases(engine, asked);
  }
}

/** Our own probe came back: an upstream leads to us. One of another server goes its way, back to that one. */
function answerProbe(engine: EngineState, asked: Asked): number {
  const { name, nameLength } = asked.view;
  const token = engine.forwarder.loopAnswer(name.slice(0, nameLength));
  return token === undefined ? undecided : engine.composer.texts(asked, [token]);
}

/** A rule that gives an answer of its own. */
export function answerOwnForm(engine: EngineState, asked: Asked): number {
  const { form } = asked.verdict;
  if (form === undefined) return undecided;
  if (form.kind === 'cname') return followAliases(engine, asked);
  const { ttlSeconds } = engine.compiled.options.blocking;
  return done(
    engine,
    asked,
    engine.composer.form(asked, form, ttlSeconds, -1),
    ReplyKind.address,
    ttlSeconds,
  );
}

function negative(engine: EngineState, asked: Asked, rcode: number, origin: number): number {
  const length = engine.composer.negative(asked, rcode, absentTtlSeconds, -1);
  engine.facts.set(origin, rcode, rcode === Rcode.nxDomain ? ReplyKind.nxDomain : ReplyKind.noData);
  engine.recorder.record(asked, engine.facts, engine.nowMs);
  return length;
}

/** Types that a local name owns: others are asked of upstreams when anybody there can know the name. */
const isOwned = (type: number): boolean =>
  type === Type.A || type === Type.AAAA || type === Type.HTTPS || type === Type.SVCB || type === Type.CNAME;

function answerRecords(engine: EngineState, asked: Asked, known: LocalName): number {
  const { composer } = engine;
  const { type } = asked.view;
  if (known.pointers.length > 0 && type === Type.PTR) return answerPointers(engine, asked, known);
  if (!isOwned(type) && known.asksOthers) return undecided;
  const length = composer.addresses(asked, known.ipv4, known.ipv6, known.ttlSeconds, -1);
  const kind = composer.writer.answerCount > 0 ? ReplyKind.address : ReplyKind.noData;
  return done(engine, asked, length, kind, known.ttlSeconds);
}

function answerPointers(engine: EngineState, asked: Asked, known: LocalName): number {
  const { composer } = engine;
  composer.begin(asked, Rcode.noError);
  for (const pointer of known.pointers)
    composer.writer.addName(Section.answer, questionName, Type.PTR, Class.IN, known.ttlSeconds, pointer);
  return done(engine, asked, composer.finish(asked, 0, -1, undefined), ReplyKind.domain, known.ttlSeconds);
}

/** The address that was asked, or another of this machine when a different family is wanted. */
function answerOwn(engine: EngineState, asked: Asked): number {
  const { composer } = engine;
  const { bytes } = asked.local;
  const wanted = asked.view.type === Type.AAAA ? 16 : 4;
  const others = wanted === bytes.length ? [bytes] : engine.compiled.ownAddresses(wanted);
  const length = composer.addresses(asked, others, others, ownTtlSeconds, -1);
  const kind = composer.writer.answerCount > 0 ? ReplyKind.address : ReplyKind.noData;
  return done(engine, asked, length, kind, ownTtlSeconds);
}

/** Answers when the aliases end at a name of ours; otherwise leaves the name to ask for in `asked.target`. */
function followAliases(engine: EngineState, asked: Asked): number {
  const { composer } = engine;
  const { type } = asked.view;
  composer.begin(asked, Rcode.noError);
  const end = addAliases(engine, asked);
  if (end === undefined) return circle(engine, asked);
  const known = engine.compiled.local.find(end, end.length);
  const isOurs = known !== undefined && known.kind === 'records';
  if (!isOurs && type !== Type.CNAME) {
    asked.target = end;
    return undecided;
  }
  if (isOurs) composer.addAddresses(end, type, known.ipv4, known.ipv6, known.ttlSeconds);
  return done(engine, asked, composer.finish(asked, 0, -1, undefined), ReplyKind.cname, 0);
}

/** Writes the aliases from the name that was asked to where they end, which is returned. */
export function addAliases(engine: EngineState, asked: Asked): Uint8Array | undefined {
  const { composer, compiled } = engine;
  const { view, verdict } = asked;
  const { form } = verdict;
  const isByRule = verdict.kind === 'local' && form?.kind === 'cname';
  let known = isByRule ? undefined : compiled.local.find(view.name, view.nameLength);
  let target = isByRule ? form.target : known?.target;
  let ttlSeconds = known?.ttlSeconds ?? compiled.options.blocking.ttlSeconds;
  let owner = questionName;
  for (let hops = 0; hops < mostAliases; hops++) {
    if (target === undefined) return owner === questionName ? undefined : owner;
    composer.addAlias(owner, target, ttlSeconds);
    owner = target;
    known = compiled.local.find(target, target.length);
    target = known?.kind === 'records' ? known.target : undefined;
    ttlSeconds = known?.ttlSeconds ?? ttlSeconds;
  }
  return undefined;
}

function circle(engine: EngineState, asked: Asked): number {
  const length = engine.composer.error(asked, Rcode.servFail, Ede.other, loopText);
  engine.facts.set(Origin.failed, Rcode.servFail, ReplyKind.servFail);
  engine.recorder.record(asked, engine.facts, engine.nowMs);
  return length;
}

function done(
  engine: EngineState,
  asked: Asked,
  length: number,
  replyKind: number,
  ttlSeconds: number,
): number {
  engine.facts.set(Origin.local, Rcode.noError, replyKind);
  engine.facts.ttlSeconds = ttlSeconds;
  engine.recorder.record(asked, engine.facts, engine.nowMs);
  return length;
}
