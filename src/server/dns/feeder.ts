// Tells the dns workers how to answer: makes a plan from the settings and from what the machine says, sends
// it when it has changed, and keeps it on the disk for the next start. A change of settings waits for it,
// so that a reply of success means that queries are answered by the new settings.

import { randomBytes } from 'node:crypto';
import type { Log } from '../log/log.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { DnsApplied, DnsPlan } from '../threads/dns-messages.ts';
import type { Machine } from './machine.ts';
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
  readonly wallMs: () => number;
  readonly log: Log;
}

/** How often the machine is asked whether its addresses or resolvers have changed. */
const lookEveryMs = 5_000;
/** How late a rule, a pause or a window of a schedule may begin or end by itself. */
const endsEveryMs = 1_000;

export class DnsFeeder {
  readonly #parts: FeederParts;
  readonly #loopKey = randomBytes(16).toString('hex');
  #sent = '';
  #sentPolicy = '';
  #sentRules: readonly string[] = [];
  #seen = '';
  #version = 0;
  /** Something has changed since the plan that is being applied was made. */
  #isStale = false;
  #saidWithout = false;
  #snapshot: SharedArrayBuffer | undefined;
  #feeding: Promise<void> | undefined;
  /** Between these two moments the rules in force are those that the workers have. */
  #fromSeconds = Number.NEGATIVE_INFINITY;
  #untilSeconds = Number.POSITIVE_INFINITY;
  #looking: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(parts: FeederParts) {
    this.#parts = parts;
  }

  /** Resolves when the workers answer by the settings for the first time. */
  async start(): Promise<void> {
    this.#parts.settings.subscribe(() => this.follow());
    this.#looking = setInterval(() => this.#lookAtMachine(), lookEveryMs).unref();
    this.#ending = setInterval(() => this.#lookAtEnds(), endsEveryMs).unref();
    this.follow();
    await this.settled();
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

  stop(): void {
    clearInterval(this.#looking);
    clearInterval(this.#ending);
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

  /** Also when the clock was put back behind the moment for which the rules were looked at. */
  #lookAtEnds(): void {
    const nowSeconds = Math.floor(this.#parts.wallMs() / 1000);
    if (nowSeconds >= this.#untilSeconds || nowSeconds < this.#fromSeconds) this.follow();
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

  /** Once, until there is one again. */
  #sayWithoutUpstream({ options }: DnsPlan): void {
    const { upstreams, system, fallback } = options.forwarding;
    const isWithout = upstreams.length + system.length + fallback.length === 0;
    if (isWithout && !this.#saidWithout)
      this.#parts.log.warn(
        'There is nobody to ask: dns.upstreams is empty, and the system names no other resolver. Local ' +
          'names are answered, all others fail. Set dns.upstreams, for example to 9.9.9.9.',
      );
    this.#saidWithout = isWithout;
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
    this.#sayWithoutUpstream(plan);
    const { late } = await this.#parts.apply(plan, this.#takeSnapshot());
    if (late.length > 0)
      log.warn('These dns workers do not answer by the latest settings yet', { workers: late.join(' ') });
  }
}
