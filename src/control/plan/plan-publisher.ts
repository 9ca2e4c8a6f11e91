// Publishes the plan to the dns workers: builds it from settings, rules and machine, sends it when it has
// changed, and stores it for the next start. A request that changes settings waits for the acknowledgements,
// so that a successful reply means that the new settings are in use.

import { randomBytes } from 'node:crypto';
import { ExactTimer } from '#platform/time';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import type { DnsApplied, DnsPlan } from './dns-plan.ts';
import type { GeneralUpstreams } from '../health/upstream-health.ts';
import type { Machine } from '#platform/neighbours';
import { buildPlan, type ApiUrls, type PlanInput } from './plan.ts';
import { areSameTexts, type PolicyPlan } from './policy-plan.ts';

export interface PlanPublisherParts {
  readonly settings: LiveSettings;
  readonly apply: (plan: DnsPlan, snapshot: SharedArrayBuffer | undefined) => Promise<DnsApplied>;
  /** Writes the plan to disk; returns the reason when that failed. */
  readonly store: (plan: DnsPlan) => string | undefined;
  readonly readMachine: () => Machine;
  readonly apiUrls: () => ApiUrls;
  readonly foreignAddresses: () => PlanInput['foreignAddresses'];
  readonly productVersion: string;
  /** The policy in force now, and when time alone changes it (Unix seconds; Infinity: never). */
  readonly policy: () => { readonly plan: PolicyPlan; readonly untilSeconds: number };
  /** Whether that policy blocks now; cheap. */
  readonly wantsBlocking: () => boolean;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** How often the machine's addresses, its resolvers and the open ports are checked for changes. */
const checkMachineEveryMs = 5_000;
/** A plan that a worker has not acknowledged is sent again after this time. */
const resendMs = 1_000;

export class PlanPublisher {
  readonly #parts: PlanPublisherParts;
  readonly #loopKey = randomBytes(16).toString('hex');
  #sent = '';
  #sentPolicy = '';
  #sentRules: readonly string[] = [];
  #lastMachine = '';
  #version = 0;
  /** Something has changed since the plan that is being applied was built. */
  #isStale = false;
  #general: GeneralUpstreams | undefined;
  #snapshot: SharedArrayBuffer | undefined;
  #publishing: Promise<void> | undefined;
  /** Between these two times the published policy is valid. */
  #fromSeconds = Number.NEGATIVE_INFINITY;
  #untilSeconds = Number.POSITIVE_INFINITY;
  #machineTimer: NodeJS.Timeout | undefined;
  /** Fires when a rule, a pause or a window of a schedule begins or ends. */
  readonly #expiryTimer = new ExactTimer(
    () => this.#untilExpiryMs(),
    () => this.invalidate(),
  );
  #resendTimer: NodeJS.Timeout | undefined;
  /** Whether the last plan sent blocks, and whether every worker has acknowledged a plan that blocks. */
  #sentBlocking: boolean | undefined;
  #isBlockingAcknowledged = false;

  constructor(parts: PlanPublisherParts) {
    this.#parts = parts;
  }

  /** Resolves when the workers use the first plan. */
  async start(): Promise<void> {
    this.#parts.settings.subscribe(() => this.invalidate());
    this.#machineTimer = setInterval(() => this.#checkMachine(), checkMachineEveryMs).unref();
    this.invalidate();
    await this.settled();
  }

  /** The upstreams for names without a special route; undefined before the first plan. */
  get general(): GeneralUpstreams | undefined {
    return this.#general;
  }

  /** Call when settings, rules or groups have changed. Changes during a publication are combined. */
  invalidate(): void {
    this.#isStale = true;
    this.#publishing ??= this.#publishAll();
  }

  /** Resolves when the workers have acknowledged the current plan, or their time to do so is over. */
  async settled(): Promise<void> {
    while (this.#publishing !== undefined) await this.#publishing;
  }

  /** Like `settled`, but first publishes what has started or expired by now. */
  async upToDate(): Promise<void> {
    if (this.#sentBlocking === undefined) return;
    if (this.#untilExpiryMs() <= 0 || this.#parts.wantsBlocking() !== this.#sentBlocking) this.invalidate();
    await this.settled();
  }

  /**
   * Whether every query is answered by a plan that blocks: all workers have acknowledged one, and none has
   * been sent another since.
   */
  get isBlocking(): boolean {
    if (this.#sentBlocking === undefined) return this.#parts.wantsBlocking();
    return this.#sentBlocking && this.#isBlockingAcknowledged;
  }

  stop(): void {
    clearInterval(this.#machineTimer);
    clearTimeout(this.#resendTimer);
    this.#expiryTimer.stop();
  }

  async #publishAll(): Promise<void> {
    // A caller that changes several things calls invalidate() several times; this collects them.
    await Promise.resolve();
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#publish();
      }
    } finally {
      this.#publishing = undefined;
    }
  }

  /** Must be cheap when nothing has changed, because it runs every few seconds. */
  #checkMachine(): void {
    const { readMachine, apiUrls, foreignAddresses } = this.#parts;
    const text = JSON.stringify([readMachine(), apiUrls(), foreignAddresses()]);
    if (text !== this.#lastMachine) this.invalidate();
    this.#lastMachine = text;
  }

  /** 0 also when the clock was set back to before the published policy became valid. */
  #untilExpiryMs(): number {
    const nowMs = this.#parts.wallMs();
    return nowMs < this.#fromSeconds * 1000 ? 0 : this.#untilSeconds * 1000 - nowMs;
  }

  /** Publishes a new snapshot; resolves when the workers use it. */
  async useSnapshot(snapshot: SharedArrayBuffer): Promise<void> {
    this.#snapshot = snapshot;
    this.#sent = '';
    this.invalidate();
    await this.settled();
  }

  /** A snapshot is sent once. */
  #unsentSnapshot(): SharedArrayBuffer | undefined {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    return snapshot;
  }

  /** Compares the policy texts directly: they may have megabytes. */
  #isSent({ options: { policy, rules, version: _, ...options }, ...plan }: DnsPlan): boolean {
    const text = JSON.stringify([plan, options]);
    const isSame = text === this.#sent && policy === this.#sentPolicy;
    if (isSame && areSameTexts(rules, this.#sentRules)) return true;
    this.#sent = text;
    this.#sentPolicy = policy;
    this.#sentRules = rules;
    return false;
  }

  async #publish(): Promise<void> {
    const { settings, readMachine, apiUrls, productVersion, policy, store, log } = this.#parts;
    // Read the clock before the rules: they may be of a later second, but never of an earlier one.
    const nowSeconds = Math.floor(this.#parts.wallMs() / 1000);
    const { plan: rules, untilSeconds } = policy();
    this.#untilSeconds = untilSeconds;
    this.#fromSeconds = nowSeconds;
    this.#expiryTimer.reschedule();
    const input = {
      settings: settings.current,
      listensByDefault: settings.resolved.byPath.get('dns.listen')?.source === 'default',
      foreignAddresses: this.#parts.foreignAddresses(),
      machine: readMachine(),
      apiUrls: apiUrls(),
      productVersion,
      loopKey: this.#loopKey,
      policy: rules,
    };
    const plan = buildPlan(input, this.#version + 1);
    if (this.#isSent(plan)) return;
    this.#version++;
    const problem = store(plan);
    if (problem !== undefined)
      log.warn(
        'The plan could not be stored: the next start uses older settings until its database is open',
        {
          reason: problem,
        },
      );
    this.#general = plan.options.forwarding;
    this.#sentBlocking = rules.isBlocking;
    const { late } = await this.#parts.apply(plan, this.#unsentSnapshot());
    if (late.length === 0) this.#isBlockingAcknowledged = rules.isBlocking;
    else this.#resendLater(late);
  }

  /** A hung worker is replaced and starts with the latest plan; a busy one acknowledges the next plan. */
  #resendLater(late: readonly string[]): void {
    this.#parts.log.warn('These dns workers do not use the latest settings yet', {
      workers: late.join(' '),
    });
    this.#sent = '';
    this.#isBlockingAcknowledged &&= this.#sentBlocking === true;
    clearTimeout(this.#resendTimer);
    this.#resendTimer = setTimeout(() => this.invalidate(), resendMs).unref();
  }
}
