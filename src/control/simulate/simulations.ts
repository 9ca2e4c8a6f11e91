// Runs simulations for the api thread: one at a time, in a separate thread that queries the history through
// this one. Lists that are neither compiled nor stored are fetched first, like subscribed ones, into files
// that are removed with the simulation. All code is loaded on demand.

import { limits } from '#contract/limits';
import type { HistoryReader, Scope } from '#history/thread';
import { sharedClockMs } from '#platform/time';
import type { ChangedPolicy } from './changed-policy.ts';
import type { ListText, Refused, Simulated, Surveyed } from './job.ts';
import type { PolicyPlan } from '../plan/policy-plan.ts';
import type { FetchOptions } from '#lists/fetch';
import type { StoredList } from '#store/database/entities';

export interface SimulationWanted {
  readonly policy: ChangedPolicy;
  /** Ids of existing lists; only they have copies. */
  readonly subscribed: ReadonlySet<number>;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly top: number;
  readonly signal: AbortSignal | undefined;
}

export interface SimulationsParts {
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** The entry file of a simulate thread. */
  readonly entry: URL;
  readonly history: HistoryReader;
  /** How subscribed lists are fetched; loaded on demand. */
  readonly fetchOptions: () => Promise<Omit<FetchOptions, 'signal'>>;
}

/** Time limit for judging queries; a million take a fifth of it. */
const simulateMs = 10_000;
/** Includes the time to read the lists to add. */
const maxThreadMs = 30_000;
const maxFetchMs = 20_000;
const maxConnectMs = 5_000;
/** Deadline of a survey; its thread is terminated a little later. */
const surveyMs = 850;
const maxSurveyMs = 1_000;

export class Simulations {
  readonly #parts: SimulationsParts;
  #isSimulating = false;
  #surveying = 0;

  constructor(parts: SimulationsParts) {
    this.#parts = parts;
  }

  /** Undefined when another simulation is running. */
  async simulate(wanted: SimulationWanted): Promise<Simulated | Refused | undefined> {
    if (this.#isSimulating) return undefined;
    this.#isSimulating = true;
    try {
      const texts = await this.#textsOf(wanted);
      return 'problem' in texts ? texts : await this.#run(wanted, texts);
    } finally {
      this.#isSimulating = false;
    }
  }

  /** Undefined when too many surveys are running. */
  async survey(
    plan: PolicyPlan,
    scope: Scope,
    signal?: AbortSignal,
  ): Promise<Surveyed | Refused | undefined> {
    if (this.#surveying >= limits.concurrentSurveys) return undefined;
    this.#surveying++;
    try {
      const { dataDir } = this.#parts;
      const request = { dataDir, plan, scope, endMs: sharedClockMs() + surveyMs };
      const threads = await this.#threads();
      return await threads.run({ kind: 'survey', request }, { maxMs: maxSurveyMs, signal });
    } finally {
      this.#surveying--;
    }
  }

  async #run(wanted: SimulationWanted, texts: readonly ListText[]): Promise<Simulated | Refused> {
    const { policy, fromMs, untilMs, top, signal } = wanted;
    const { before, after } = policy;
    const { dataDir } = this.#parts;
    const request = { dataDir, before, after, texts, fromMs, untilMs, top, limitMs: simulateMs };
    const threads = await this.#threads();
    try {
      return await threads.run({ kind: 'simulate', request }, { maxMs: maxThreadMs, signal });
    } finally {
      if (texts.length > 0) (await import('./gather-texts.ts')).removeDrafts(texts);
    }
  }

  /** The texts of the added lists that are not in the snapshot. */
  async #textsOf({ policy, subscribed, signal }: SimulationWanted): Promise<readonly ListText[] | Refused> {
    if (policy.added.length === 0) return [];
    const { TextGatherer } = await import('./gather-texts.ts');
    const { dataDir, fetchOptions } = this.#parts;
    const timeout = AbortSignal.timeout(maxFetchMs);
    const gatherer = new TextGatherer({
      dataDir,
      fetch: await fetchOptions(),
      limits: { connectMs: maxConnectMs, silenceMs: maxConnectMs, overallMs: maxFetchMs },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return gatherer.gather(policy.added, (list: StoredList) => subscribed.has(list.id));
  }

  async #threads() {
    const { SimulateThreads } = await import('./simulate-threads.ts');
    const { compileCacheDir, entry, history } = this.#parts;
    return new SimulateThreads({ entry, compileCacheDir, history });
  }
}
