// The whole decision about one question, step by step in the order of answer.ts. It has two parts: what is
// known without an upstream, and, when the answer is neither cached nor decided, what an upstream replies;
// the caller asks it in between.

import { pass, type Policy, type Verdict } from '#policy';
import { Class, hashName, ipBytes, nameFromText, nameToText, Rcode, Type } from '#wire';
import { isMetaType } from '../answer/answer.ts';
import { Entry, State } from '../cache/entry.ts';
import { stateOf, upstreamBlockOf, upstreamOf } from '../cache/entry-facts.ts';
import { writeEntryMessage } from '../cache/entry-message.ts';
import { Examined } from '../cache/examine.ts';
import { ageOf, Freshness } from '../cache/freshness.ts';
import { keyOf } from '../cache/reply-keeper.ts';
import { staleTtlSeconds } from '../answer/serve-entry.ts';
import { ClientAddress } from '../client-address.ts';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { EngineState } from '../state.ts';
import type { ForwardFailure, Question } from '../upstream/forwarding.ts';
import { DryRun } from './dry-run.ts';
import type {
  ExplainedAnswer,
  ExplainedCache,
  DecidedBy,
  Explained,
  Inquiry,
  ExplainedLocal,
  Target,
  ExplainedUpstream,
} from './explained.ts';
import { explainClient } from './explain-client.ts';
import { judgeName } from './judge.ts';
import { aliasesFrom, aliasRecords, type Alias } from './aliases.ts';
import { decidingTarget, targetNamed, targetsOf, type TargetJudge } from './targets.ts';
import { describeAnswer } from './describe-answer.ts';

/** What came of asking. */
export type UpstreamOutcome =
  | { readonly kind: 'reply'; readonly reply: CleanReply; readonly upstream: number }
  | { readonly kind: 'failure'; readonly failure: ForwardFailure; readonly upstream: number };

type ByName = Omit<Explained, 'cache' | 'upstream'>;

const refused: ExplainedAnswer = {
  isSent: true,
  rcode: Rcode.refused,
  records: [],
  recordCount: 0,
  isBlockedThere: false,
  hidesPrivate: false,
};

/** A client that is known by something else than an address is of this network. */
function whoAsks({ clients }: EngineState, { client: address, traits }: Inquiry) {
  if (traits !== undefined) return { isAnswered: true, who: { address, name: undefined, ...traits } };
  const client = new ClientAddress();
  client.readFrom(address, 0, address.length);
  return clients.preview(client);
}

export class Explanation {
  readonly #engine: EngineState;
  readonly #inquiry: Inquiry;
  readonly #policy: Policy;
  readonly #groups: number;
  readonly #dry: DryRun;
  readonly #byName: ByName;
  #verdict: Verdict = pass;
  /** Of the policy's budget, for the names that the answer leads to. */
  #stepsLeft = 0;
  #aliases: readonly Alias[] = [];
  /** Where local aliases end, when that is a name of others. */
  #aliasTargets: readonly Target[] = [];
  /** Of the cache; -1 when there is nothing that may be served. */
  #place = -1;

  constructor(engine: EngineState, inquiry: Inquiry) {
    engine.readClocks();
    this.#engine = engine;
    this.#inquiry = inquiry;
    this.#policy = engine.policy;
    const { isAnswered, who } = whoAsks(engine, inquiry);
    this.#groups = engine.policy.groupsOf(who);
    this.#dry = new DryRun(engine, inquiry, this.#groups);
    const look = explainClient(engine.policy, who, this.#groups, isAnswered);
    this.#byName = { ...this.#decide(isAnswered), client: look };
    if (this.#byName.decidedBy === 'nothing') this.#place = this.#find();
  }

  /** The question for upstreams; undefined when the answer is known or decided. */
  get asks(): Question | undefined {
    if (this.#byName.decidedBy !== 'nothing' || this.#isServed()) return undefined;
    const { type } = this.#inquiry;
    return { name: this.#target(), type, class: Class.IN, dnssecOk: false, checkingDisabled: false };
  }

  /** The whole explanation, with the outcome of the question if upstreams were asked. */
  finish(outcome: UpstreamOutcome | undefined): Explained {
    const byName = this.#byName;
    if (byName.decidedBy !== 'nothing') return { ...byName, cache: undefined, upstream: undefined };
    const message = this.#message(outcome);
    const looks = { cache: this.#explainCache(), upstream: this.#explainUpstream(outcome) };
    if (message === undefined) return { ...byName, ...looks, ...this.#decision(this.#aliasTargets) };
    return { ...byName, ...looks, ...this.#lookInto(message, outcome) };
  }

  #decide(isAnswered: boolean): Omit<ByName, 'client'> {
    const ends = (decidedBy: DecidedBy, answer: ExplainedAnswer, rest: Partial<ByName> = {}) => ({
      local: undefined,
      rules: undefined,
      isSpecial: undefined,
      decidedBy,
      answer,
      targets: [],
      ...rest,
    });
    if (!isAnswered) return ends('client', refused);
    const { name, type } = this.#inquiry;
    if (isMetaType(type))
      return ends('local', this.#dry.oddity(), { local: { kind: 'any', aliases: [], isAnswer: true } });
    const { look, answer } = this.#local();
    if (answer !== undefined) return ends('local', answer, { local: look });
    const rules = judgeName(this.#policy, name, type, this.#groups);
    const verdict = this.#verdictOnName();
    this.#verdict = verdict;
    const special = verdict.kind === 'allow' ? undefined : this.#special();
    const known = { local: look, rules, isSpecial: special !== undefined };
    if (special !== undefined) return ends('special', this.#dry.blocked(special), known);
    if (verdict.kind === 'block') return ends('rules', this.#dry.blocked(verdict), known);
    const own = verdict.kind === 'local' ? this.#ownForm(verdict) : undefined;
    if (own !== undefined) return ends('rules', own, known);
    const blocked = this.#blockedAlias();
    if (blocked !== undefined)
      return ends('targets', blocked, { ...known, ...this.#decision(this.#aliasTargets) });
    return { ...known, decidedBy: 'nothing', answer: undefined, targets: [] };
  }

  #verdictOnName(): Verdict {
    const { name, type } = this.#inquiry;
    this.#policy.budget.renew();
    const verdict = this.#policy.decide(name, name.length, type, this.#groups);
    this.#stepsLeft = this.#policy.budget.left;
    return verdict;
  }

  /** The answer when the end of local aliases is blocked. */
  #blockedAlias(): ExplainedAnswer | undefined {
    const { target } = this.#dry.query;
    if (target === undefined || this.#verdict.kind === 'local') return undefined;
    this.#aliasTargets = [targetNamed(target, Type.CNAME, this.#judge())];
    this.#stepsLeft = this.#policy.budget.left;
    return this.#blockedBy(this.#deciding(this.#aliasTargets));
  }

  #special(): Verdict | undefined {
    return this.#engine.compiled.special.find(this.#inquiry.name, this.#inquiry.name.length);
  }

  #local(): { readonly look: ExplainedLocal | undefined; readonly answer: ExplainedAnswer | undefined } {
    const { name } = this.#inquiry;
    const { local } = this.#engine.compiled;
    const known = local.find(name, name.length);
    if (known === undefined) return { look: undefined, answer: undefined };
    const answer = known.kind === 'forward' ? undefined : this.#dry.local(known);
    this.#aliases = aliasesFrom(local, name, known.target, known.ttlSeconds);
    const aliases = this.#aliases.map(({ target }) => nameToText(target));
    return { look: { kind: known.kind, aliases, isAnswer: answer !== undefined }, answer };
  }

  #ownForm(verdict: Verdict): ExplainedAnswer | undefined {
    const { form } = verdict;
    const { options, local } = this.#engine.compiled;
    const target = form?.kind === 'cname' ? form.target : undefined;
    this.#aliases = aliasesFrom(local, this.#inquiry.name, target, options.blocking.ttlSeconds);
    return this.#dry.ownForm(verdict);
  }

  /** The name that is looked up: the one that is asked for, or the end of local aliases. */
  #target(): Uint8Array {
    return this.#dry.query.target ?? this.#inquiry.name;
  }

  #find(): number {
    const { cache, hashSeed } = this.#engine;
    const name = this.#target();
    const hash = hashName(name, name.length, hashSeed);
    return cache.find(name, name.length, hash, keyOf(this.#inquiry.type, false, false));
  }

  #age(): number {
    const { cache, nowSeconds, compiled } = this.#engine;
    return this.#place < 0 ? Freshness.gone : ageOf(cache, this.#place, nowSeconds, compiled.options.cache);
  }

  #isServed(): boolean {
    return this.#age() !== Freshness.gone;
  }

  #explainCache(): ExplainedCache {
    const none = { ttlSeconds: 0, ageSeconds: 0, isFailure: false, upstream: '' };
    if (this.#place < 0) return { state: 'none', ...none };
    const { cache, nowSeconds, forwarder } = this.#engine;
    const { words } = cache;
    const age = this.#age();
    const upstream = upstreamOf(words, this.#place);
    return {
      state: age === Freshness.gone ? 'gone' : age === Freshness.stale ? 'stale' : 'fresh',
      ttlSeconds: (words[this.#place + Entry.expiresAt] ?? 0) - nowSeconds,
      ageSeconds: nowSeconds - (words[this.#place + Entry.storedAt] ?? 0),
      isFailure: (stateOf(words, this.#place) & State.failure) !== 0,
      upstream: upstream < 0 ? '' : forwarder.upstreamText(upstream),
    };
  }

  #explainUpstream(outcome: UpstreamOutcome | undefined): ExplainedUpstream {
    const { forwarder } = this.#engine;
    const choice = forwarder.choiceFor(this.#target());
    if (outcome === undefined) return { ...choice, outcome: undefined, answeredBy: '' };
    const answeredBy = outcome.upstream < 0 ? '' : forwarder.upstreamText(outcome.upstream);
    return { ...choice, outcome: outcome.kind === 'reply' ? 'answered' : outcome.failure, answeredBy };
  }

  #message(outcome: UpstreamOutcome | undefined): Uint8Array | undefined {
    if (outcome?.kind === 'reply') return outcome.reply.bytes.subarray(0, outcome.reply.length);
    if (!this.#isServed()) return undefined;
    const whole = new Uint8Array(65_535);
    return whole.slice(0, writeEntryMessage(this.#engine.cache, this.#place, whole));
  }

  #lookInto(
    message: Uint8Array,
    outcome: UpstreamOutcome | undefined,
  ): Pick<Explained, 'targets' | 'answer' | 'decidedBy'> {
    const targets = [...this.#aliasTargets, ...targetsOf(message, message.length, this.#judge())];
    const answer = this.#blockedBy(this.#deciding(targets)) ?? this.#passedOn(message, outcome);
    return { ...this.#decision(targets), answer };
  }

  /** Names that the answer leads to have what the names before them have left. */
  #judge(): TargetJudge {
    this.#policy.budget.left = this.#stepsLeft;
    return { policy: this.#policy, groups: this.#groups, type: this.#inquiry.type };
  }

  #decision(all: readonly Target[]): Pick<Explained, 'targets' | 'decidedBy'> {
    const deciding = this.#deciding(all);
    const targets = all.map((target) => (target === deciding ? { ...target, decides: true } : target));
    return { targets, decidedBy: deciding === undefined ? this.#ruledByName() : 'targets' };
  }

  #blockedBy(deciding: Target | undefined): ExplainedAnswer | undefined {
    const blocked = deciding?.verdict === 'block' ? this.#verdictOn(deciding) : undefined;
    return blocked === undefined ? undefined : this.#dry.blocked(blocked);
  }

  /** The alias that a rule answers with stays, whatever allows what is behind it. */
  #deciding(targets: readonly Target[]): Target | undefined {
    const { kind, rank } = this.#verdict;
    const deciding = decidingTarget(targets, rank);
    return deciding?.verdict === 'allow' && kind === 'local' ? undefined : deciding;
  }

  /** Others are asked; a rule may have set the name free, or put another in its place. */
  #ruledByName(): DecidedBy {
    const { kind } = this.#verdict;
    const isAlias = kind === 'local' && this.#dry.query.target !== undefined;
    return kind === 'allow' || isAlias ? 'rules' : 'nothing';
  }

  /** The verdict itself, which says how a block is answered. */
  #verdictOn({ kind, about }: Target): Verdict | undefined {
    const bytes = kind === 'name' ? nameFromText(about) : ipBytes(about);
    if (bytes === undefined) return undefined;
    this.#policy.budget.renew();
    return kind === 'name'
      ? this.#policy.decide(bytes, bytes.length, this.#inquiry.type, this.#groups)
      : this.#policy.decideAddress(bytes, 0, bytes.length, this.#groups);
  }

  #passedOn(message: Uint8Array, outcome: UpstreamOutcome | undefined): ExplainedAnswer {
    if (this.#isKnownHere(message)) return this.#dry.noData();
    const { name } = this.#inquiry;
    const { options, rebindExempt } = this.#engine.compiled;
    const hidesPrivate = options.rebind.active && rebindExempt.find(name, name.length) === undefined;
    const described = describeAnswer(message, message.length, { hidesPrivate, ttlOf: this.#ttlOf(outcome) });
    const aliases = aliasRecords(name, this.#aliases);
    const recordCount = described.recordCount + aliases.length;
    const isBlockedThere = this.#isBlockedThere(message, outcome);
    return { ...described, records: [...aliases, ...described.records], recordCount, isBlockedThere };
  }

  /** RFC 8020: what we know ourselves in another type is there, whatever others say. */
  #isKnownHere(message: Uint8Array): boolean {
    const { name } = this.#inquiry;
    if (this.#dry.query.target !== undefined || ((message[3] ?? 0) & 0xf) !== Rcode.nxDomain) return false;
    return this.#engine.compiled.local.find(name, name.length)?.kind === 'records';
  }

  #ttlOf(outcome: UpstreamOutcome | undefined): (ttlSeconds: number) => number {
    if (outcome !== undefined) return (ttlSeconds) => ttlSeconds;
    if (this.#age() === Freshness.stale) return () => staleTtlSeconds;
    const { ageSeconds } = this.#explainCache();
    return (ttlSeconds) => Math.max(0, ttlSeconds - ageSeconds);
  }

  #isBlockedThere(message: Uint8Array, outcome: UpstreamOutcome | undefined): boolean {
    if (outcome?.kind !== 'reply') return upstreamBlockOf(this.#engine.cache.words, this.#place) !== 0;
    const examined = new Examined();
    examined.examine(message, 0, message.length, this.#inquiry.type, outcome.reply.extendedError);
    return examined.upstreamBlock !== 0;
  }
}
