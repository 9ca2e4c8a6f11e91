// The blocking switch with its timer. The moment at which the state turns back is Unix time on the disk;
// while the program runs it is checked each second, which also survives a clock that is set and a machine
// that slept.

import { fail, type Failure } from '#contract';
import type { Log } from '../log/log.ts';
import type { Actor } from '../storage/change.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { LiveSettings } from './live-settings.ts';

export interface BlockingState {
  readonly blocking: boolean;
  /** Whole seconds. */
  readonly timer: number | null;
}

const path = 'dns.blocking.active';
const untilName = 'blocking turns at';
const lookEveryMs = 1_000;

export class BlockingSwitch {
  readonly #settings: LiveSettings;
  readonly #kept: Secrets;
  readonly #wallMs: () => number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;

  constructor(settings: LiveSettings, kept: Secrets, wallMs: () => number, log: Log) {
    this.#settings = settings;
    this.#kept = kept;
    this.#wallMs = wallMs;
    this.#log = log;
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  state(): BlockingState {
    const untilMs = this.#untilMs();
    const left = untilMs === undefined ? null : Math.max(0, Math.ceil((untilMs - this.#wallMs()) / 1000));
    return { blocking: this.#settings.current.dns.blocking.active, timer: left };
  }

  /** Without seconds for good; a timer that runs is forgotten. */
  async set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    // With a timer the state must be able to turn back, too.
    const { source } = this.#settings.resolved.byPath.get(path) ?? { source: 'default' };
    if (seconds !== undefined && (source === 'environment' || source === 'file')) {
      return fail('settingPinned', `${path} is set by the ${source}`);
    }
    const reviewed = this.#settings.review(new Map([[path, blocking]]));
    if ('failure' in reviewed) return reviewed;
    const failure = await this.#settings.store(actor, reviewed);
    if (failure !== undefined) return failure;
    const untilMs = seconds === undefined ? undefined : String(Math.round(this.#wallMs() + seconds * 1000));
    await this.#kept.set(untilName, untilMs);
    return undefined;
  }

  /** Turns the state back when its time has come. */
  async look(): Promise<void> {
    const untilMs = this.#untilMs();
    if (untilMs === undefined || this.#wallMs() < untilMs) return;
    const blocking = !this.#settings.current.dns.blocking.active;
    const failure = await this.set('timer', blocking, undefined);
    if (failure === undefined)
      this.#log.info(`Blocking is ${blocking ? 'on' : 'off'} again, as the timer asked`);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #untilMs(): number | undefined {
    const text = this.#kept.get(untilName);
    return text === undefined ? undefined : Number(text);
  }
}
