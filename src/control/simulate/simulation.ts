// Decides stored queries, the newest first, with the current policy and with the changed one. The stored
// verdicts are not used: lists and rules have changed since, and the result is what would change now. Only
// the alias target for which an answer was blocked is taken from the history.

import { limits } from '#contract/limits';
import { usageWords, type UsageSlice } from '#history/segments';
import type { Answer, HistoryReader, QuestionResult } from '#history/thread';
import { MetClients, type ClientTools } from './clients.ts';
import type { Difference, Refused, SimulatedDomain, Simulated, SimulationRequest } from './job.ts';
import { afterOf, beforeOf, bothFates, isBlocked, jointFate, Judge } from './judge.ts';
import { NamePool } from './name-pool.ts';
import type { Policies } from './policies.ts';
import { Tally, type Instance } from './tally.ts';

export interface SimulationTools extends ClientTools {
  readonly history: HistoryReader;
  /** A steady clock. */
  readonly clockMs: () => number;
}

/** Combinations between two reads of the clock. */
const stride = 4_096;
const noTarget = -1;
/** Offsets in a combination of name, client, type and target. */
const Word = { name: 0, client: 1, type: 2, target: 3 } as const;

export async function simulate(
  request: SimulationRequest,
  policies: Policies,
  tools: SimulationTools,
): Promise<Simulated | Refused> {
  return new Simulation(request, policies, tools).run();
}

class Simulation {
  readonly #request: SimulationRequest;
  readonly #tools: SimulationTools;
  readonly #pool = new NamePool();
  readonly #judge: Judge;
  readonly #clients: MetClients;
  readonly #endMs: number;
  readonly #blocked = new Tally();
  readonly #freed = new Tally();
  #queries = 0;
  #hidden = 0;
  #blockedBefore = 0;
  #blockedAfter = 0;
  #isTruncated = false;

  constructor(request: SimulationRequest, policies: Policies, tools: SimulationTools) {
    this.#request = request;
    this.#tools = tools;
    this.#judge = new Judge(policies, this.#pool);
    this.#clients = new MetClients(policies, this.#judge, tools);
    this.#endMs = tools.clockMs() + request.limitMs;
  }

  /** One slice at a time, so that a machine with two cores has one left for DNS. */
  async run(): Promise<Simulated | Refused> {
    for (let next: number | undefined = Infinity; next !== undefined && !this.#isTruncated;) {
      const answer: Answer<QuestionResult<'usage'>> = await this.#requestSlice(next);
      const problem: string | undefined = answer.ok ? await this.#loadTexts(answer.value) : answer.problem;
      if (!answer.ok || problem !== undefined) return { problem: problem ?? '', isHistory: true };
      this.#judgeSlice(answer.value);
      next = answer.value.next;
      this.#isTruncated ||=
        next !== undefined && (this.#isLate() || this.#pool.size >= limits.simulatedNames);
    }
    return this.#result();
  }

  #requestSlice(beforeId: number): Promise<Answer<QuestionResult<'usage'>>> {
    const { fromMs, untilMs } = this.#request;
    return this.#tools.history.query('usage', { fromMs, untilMs, beforeId }, { limitMs: this.#leftMs() });
  }

  #leftMs(): number {
    return Math.max(this.#endMs - this.#tools.clockMs(), 0);
  }

  #isLate(): boolean {
    return this.#tools.clockMs() >= this.#endMs;
  }

  /** Requests the texts of new names and clients; returns the reason when that failed. */
  async #loadTexts({ keys }: UsageSlice): Promise<string | undefined> {
    const names = newIds(keys, [Word.name, Word.target], (id) => this.#pool.numberOf(id));
    const clients = newIds(keys, [Word.client], (id) => this.#clients.pairOf(id));
    if (names.length + clients.length === 0) return undefined;
    const answer = await this.#tools.history.query('texts', { names, clients }, { limitMs: this.#leftMs() });
    if (!answer.ok) return answer.problem;
    const { names: texts, clients: clientTexts } = answer.value;
    for (const [at, text] of texts.split('\n').entries())
      if (at < names.length) this.#pool.add(names[at] ?? 0, text);
    for (const [at, client] of clientTexts.entries()) this.#clients.add(clients[at] ?? 0, client);
    return undefined;
  }

  #judgeSlice({ keys, counts }: UsageSlice): void {
    const instance: Instance = { name: 0, target: noTarget, type: 0, pair: 0 };
    for (let at = 0; at < counts.length; at++) {
      if (at % stride === stride - 1 && this.#isLate()) {
        this.#isTruncated = true;
        return;
      }
      this.#fill(instance, keys, at * usageWords);
      this.#count(instance, keys[at * usageWords + Word.client] ?? 0, counts[at] ?? 0);
    }
  }

  #fill(instance: Instance, keys: Uint32Array, at: number): void {
    const target = keys[at + Word.target] ?? 0;
    instance.name = this.#pool.numberOf(keys[at + Word.name] ?? 0);
    instance.target = target === 0 ? noTarget : this.#pool.numberOf(target);
    instance.type = keys[at + Word.type] ?? 0;
    instance.pair = this.#clients.pairOf(keys[at + Word.client] ?? 0);
  }

  #count(instance: Instance, client: number, count: number): void {
    this.#queries += count;
    if (!this.#pool.isKnown(instance.name)) {
      this.#hidden += count;
      return;
    }
    const both = this.#fatesOf(instance);
    const isBefore = isBlocked(beforeOf(both));
    const isAfter = isBlocked(afterOf(both));
    if (isBefore) this.#blockedBefore += count;
    if (isAfter) this.#blockedAfter += count;
    if (isAfter && !isBefore) this.#blocked.add(instance, client, count);
    if (isBefore && !isAfter) this.#freed.add(instance, client, count);
  }

  /** Judges the target of an answer too, as the engine does. */
  #fatesOf({ name, target, type, pair }: Instance): number {
    const both = this.#judge.fatesOf(name, type, pair);
    if (target === noTarget || !this.#pool.isKnown(target)) return both;
    const behind = this.#judge.fatesOf(target, type, pair);
    return bothFates(jointFate(beforeOf(both), beforeOf(behind)), jointFate(afterOf(both), afterOf(behind)));
  }

  #result(): Simulated {
    return {
      queries: this.#queries,
      hidden: this.#hidden,
      blockedBefore: this.#blockedBefore,
      blockedAfter: this.#blockedAfter,
      blocked: this.#difference(this.#blocked, 'after'),
      freed: this.#difference(this.#freed, 'before'),
      truncated: this.#isTruncated,
    };
  }

  #difference(tally: Tally, which: keyof Policies): Difference {
    const { top } = this.#request;
    return {
      queries: tally.queries,
      domains: tally.names,
      clients: tally.clients,
      topDomains: tally.topNames(top).map((one) => this.#domainResult(one, one.count, which)),
      topClients: tally
        .topClients(top)
        .map(({ client, count }) => ({ ...this.#clients.textOf(client), count })),
    };
  }

  #domainResult(instance: Instance, count: number, which: keyof Policies): SimulatedDomain {
    const { name, target, type, pair } = instance;
    const own = this.#judge.verdict(which, name, type, pair);
    const isBehind = (own.kind === 'pass' || own.kind === 'allow') && target !== noTarget;
    const verdict = isBehind ? this.#judge.verdict(which, target, type, pair) : own;
    const rule = this.#request[which].rules.find(({ id }) => id === verdict.ruleId);
    return { domain: this.#pool.textOf(name), count, by: rule?.domain ?? verdict.text };
  }
}

/** Ids that have no number yet, ascending and without duplicates; 0 means none. */
function newIds(keys: Uint32Array, words: readonly number[], numberOf: (id: number) => number): Uint32Array {
  const found = new Set<number>();
  for (const word of words)
    for (let at = word; at < keys.length; at += usageWords) {
      const id = keys[at] ?? 0;
      if (id !== 0 && numberOf(id) < 0) found.add(id);
    }
  return Uint32Array.from(found).sort();
}
