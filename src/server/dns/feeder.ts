// Tells the dns workers how to answer: makes a plan from the settings and from what the machine says, sends
// it when it has changed, and keeps it on the disk for the next start. A change of settings waits for it,
// so that a reply of success means that queries are answered by the new settings.

import { randomBytes } from 'node:crypto';
import type { Log } from '../log/log.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { DnsApplied, DnsPlan } from '../threads/dns-messages.ts';
import type { Machine } from './machine.ts';
import { makePlan, type ApiUrls } from './plan.ts';

export interface FeederParts {
  readonly settings: LiveSettings;
  readonly apply: (plan: DnsPlan) => Promise<DnsApplied>;
  /** Keeps the plan; the reason when that could not be done. */
  readonly keep: (plan: DnsPlan) => string | undefined;
  readonly readMachine: () => Machine;
  readonly apiUrls: () => ApiUrls;
  readonly productVersion: string;
  readonly log: Log;
}

/** How often the machine is asked whether its addresses or resolvers have changed. */
const lookEveryMs = 5_000;

export class DnsFeeder {
  readonly #parts: FeederParts;
  readonly #loopKey = randomBytes(16).toString('hex');
  #sent = '';
  #seen = '';
  #version = 0;
  #applying: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: FeederParts) {
    this.#parts = parts;
  }

  /** Resolves when the workers answer by the settings for the first time. */
  async start(): Promise<void> {
    this.#parts.settings.subscribe(() => this.#feed());
    this.#timer = setInterval(() => this.#lookAtMachine(), lookEveryMs).unref();
    this.#feed();
    await this.#applying;
  }

  /** Resolves when the workers answer by the settings as they are now, or have had their time for it. */
  async settled(): Promise<void> {
    await this.#applying;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Cheap when nothing has changed, for it is done all day long. */
  #lookAtMachine(): void {
    const text = JSON.stringify([this.#parts.readMachine(), this.#parts.apiUrls()]);
    if (text !== this.#seen) this.#feed();
    this.#seen = text;
  }

  #feed(): void {
    const { settings, readMachine, apiUrls, productVersion, keep, log } = this.#parts;
    const input = {
      settings: settings.current,
      machine: readMachine(),
      apiUrls: apiUrls(),
      productVersion,
      loopKey: this.#loopKey,
    };
    const text = JSON.stringify(makePlan(input, 0));
    if (text === this.#sent) return;
    this.#sent = text;
    const plan = makePlan(input, ++this.#version);
    const problem = keep(plan);
    if (problem !== undefined)
      log.warn('The next start will answer DNS only once its database is open', { reason: problem });
    this.#applying = this.#applying.then(() => this.#apply(plan));
  }

  async #apply(plan: DnsPlan): Promise<void> {
    const { late } = await this.#parts.apply(plan);
    if (late.length > 0)
      this.#parts.log.warn('These dns workers do not answer by the latest settings yet', {
        workers: late.join(' '),
      });
  }
}
