// Tells the dns workers how to answer: makes a plan from the settings and from what the machine says, sends
// it when it has changed, and keeps it on the disk for the next start. A change of settings waits for it,
// so that a reply of success means that queries are answered by the new settings.

import { randomBytes } from 'node:crypto';
import { ExactTimer } from '#platform/time';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import type { DnsApplied, DnsPlan } from './dns-plan.ts';
import type { GeneralUpstreams } from '../health/upstream-health.ts';
import type { Machine } from '#platform/neighbours';
import { makePlan, type ApiUrls } from './plan.ts';
import { areSameTexts, type PolicyPlan } from './policy-plan.ts';

export interface FeederParts {
  readonly settings: LiveSettings;
  readonly apply: (plan: DnsPlan, snapshot: SharedArrayBuffer | undefined) => Promise<DnsApplied>;
  /** Keeps the plan; the reason when that could not be done. */
  readonly keep: (plan: DnsPlan) => string | undefined;
  readonly readMachine: () => Machine;
  readonly apiUrls: () => ApiUrls;
  readonly productVersion: string;
  /** The rules in force now, and when that changes by itself (Unix seconds; Infinity: never). */
  readonly policy: () => { readonly plan: PolicyPlan; readonly untilSeconds: number };
  /** Whether that policy would block now; cheap. */
  readonly wantsBlocking: () => boolean;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** How often the machine is asked whether its addresses or resolvers have changed. */
const lookEveryMs = 5_000;
/** After this long a plan that a worker has not acknowledged is sent again. */
const sendAgainMs = 1_000;

export class PlanPublisher {
  readonly #parts: FeederParts;
  readonly #loopKey = randomBytes(16).toString('hex');
  #sent = '';
  #sentPolicy = '';
  #sentRules: readonly string[] = [];
  #seen = '';
  #version = 0;
  /** Something has changed since the plan that is being applied was made. */
  #isStale = false;
  #general: GeneralUpstreams | undefined;
  #snapshot: SharedArrayBuffer | undefined;
  #feeding: Promise<void> | undefined;
  /** Between these two moments the rules in force are those that the workers have. */
  #fromSeconds = Number.NEGATIVE_INFINITY;
  #untilSeconds = Number.POSITIVE_INFINITY;
  #looking: NodeJS.Timeout | undefined;
  /** Fires when a rule, a pause or a window of a schedule begins or ends by itself. */
  readonly #ending = new ExactTimer(
    () => this.#untilEndMs(),
    () => this.follow(),
  );
  #sendingAgain: NodeJS.Timeout | undefined;
  /** Whether the plan that was sent last blocks, and whether every worker has acknowledged one that does. */
  #sentBlocking: boolean | undefined;
  #isBlockingAcknowledged = false;

  constructor(parts: FeederParts) {
    this.#parts = parts;
  }

  /** Resolves when the workers answer by the settings for the first time. */
  async start(): Promise<void> {
    this.#parts.settings.subscribe(() => this.follow());
    this.#looking = setInterval(() => this.#lookAtMachine(), lookEveryMs).unref();
    this.follow();
    await this.settled();
  }

  /** Who is asked for names without a route of their own; undefined before the first plan. */
  get general(): GeneralUpstreams | undefined {
    return this.#general;
  }

  /** Settings, rules or groups have changed. Changes that come while others are applied go together. */
  follow(): void {
    this.#isStale = true;
    this.#feeding ??= this.#feedAll();
  }

  /** Resolves when the workers answer by everything as it is now, or have had their time for it. */
  async settled(): Promise<void> {
    while (this.#feeding !== undefined) await this.#feeding;
  }

  /** As `settled`, and what has begun or ended by itself until now is among it. */
  async upToDate(): Promise<void> {
    if (this.#sentBlocking === undefined) return;
    if (this.#untilEndMs() <= 0 || this.#parts.wantsBlocking() !== this.#sentBlocking) this.follow();
    await this.settled();
  }

  /**
   * Whether every query is answered by a plan that blocks: all workers have acknowledged it and none was told
   * otherwise since.
   */
  get isBlocking(): boolean {
    if (this.#sentBlocking === undefined) return this.#parts.wantsBlocking();
    return this.#sentBlocking && this.#isBlockingAcknowledged;
  }

  stop(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#sendingAgain);
    this.#ending.stop();
  }

  async #feedAll(): Promise<void> {
    // Whoever changes several things at once calls several times: they are looked at together.
    await Promise.resolve();
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#feed();
      }
    } finally {
      this.#feeding = undefined;
    }
  }

  /** Cheap when nothing has changed, for it is done all day long. */
  #lookAtMachine(): void {
    const text = JSON.stringify([this.#parts.readMachine(), this.#parts.apiUrls()]);
    if (text !== this.#seen) this.follow();
    this.#seen = text;
  }

  /** 0 also when the clock was put back behind the moment for which the rules were looked at. */
  #untilEndMs(): number {
    const nowMs = this.#parts.wallMs();
    return nowMs < this.#fromSeconds * 1000 ? 0 : this.#untilSeconds * 1000 - nowMs;
  }

  /** Compiled lists that the workers are to use from now on; resolves when they do. */
  async useSnapshot(snapshot: SharedArrayBuffer): Promise<void> {
    this.#snapshot = snapshot;
    this.#sent = '';
    this.follow();
    await this.settled();
  }

  #takeSnapshot(): SharedArrayBuffer | undefined {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    return snapshot;
  }

  /** The policy is compared as the text that it is: there may be megabytes of it. */
  #isSent({ options: { policy, rules, version: _, ...options }, ...plan }: DnsPlan): boolean {
    const text = JSON.stringify([plan, options]);
    const isSame = text === this.#sent && policy === this.#sentPolicy;
    if (isSame && areSameTexts(rules, this.#sentRules)) return true;
    this.#sent = text;
    this.#sentPolicy = policy;
    this.#sentRules = rules;
    return false;
  }

  async #feed(): Promise<void> {
    const { settings, readMachine, apiUrls, productVersion, policy, keep, log } = this.#parts;
    // Read before the rules are: they may be those of a later second, but not of an earlier one.
    const nowSeconds = Math.floor(this.#parts.wallMs() / 1000);
    const { plan: rules, untilSeconds } = policy();
    this.#untilSeconds = untilSeconds;
    this.#fromSeconds = nowSeconds;
    this.#ending.follow();
    const input = {
      settings: settings.current,
      machine: readMachine(),
      apiUrls: apiUrls(),
      productVersion,
      loopKey: this.#loopKey,
      policy: rules,
    };
    const plan = makePlan(input, this.#version + 1);
    if (this.#isSent(plan)) return;
    this.#version++;
    const problem = keep(plan);
    if (problem !== undefined)
      log.warn('The next start will first answer DNS by older settings, until its database is open', {
        reason: problem,
      });
    this.#general = plan.options.forwarding;
    this.#sentBlocking = rules.isBlocking;
    const { late } = await this.#parts.apply(plan, this.#takeSnapshot());
    if (late.length === 0) this.#isBlockingAcknowledged = rules.isBlocking;
    else this.#sendAgain(late);
  }

  /** A worker that hangs is replaced and starts with the latest plan; one that was busy acknowledges then. */
  #sendAgain(late: readonly string[]): void {
    this.#parts.log.warn('These dns workers do not answer by the latest settings yet', {
      workers: late.join(' '),
    });
    this.#sent = '';
    this.#isBlockingAcknowledged &&= this.#sentBlocking === true;
    clearTimeout(this.#sendingAgain);
    this.#sendingAgain = setTimeout(() => this.follow(), sendAgainMs).unref();
  }
}
