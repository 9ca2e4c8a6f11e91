// The blocking switch with its timer. On the disk stands when the state turns, as Unix time, and what it
// turns to: a timer that fires twice, or late, must not turn it the wrong way; and one that somebody has
// overtaken by changing the state himself is forgotten. While the program runs it is checked each second,
// which also survives a clock that is set and a machine that slept.

import { fail, type Failure, type SettingValue } from '#contract';
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
const turnName = 'blocking turns';
const lookEveryMs = 1_000;

interface Turn {
  readonly atMs: number;
  readonly blocking: boolean;
}

export class BlockingSwitch {
  readonly #settings: LiveSettings;
  readonly #kept: Secrets;
  readonly #wallMs: () => number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: (() => void)[] = [];
  #isSetting = false;

  constructor(settings: LiveSettings, kept: Secrets, wallMs: () => number, log: Log) {
    this.#settings = settings;
    this.#kept = kept;
    this.#wallMs = wallMs;
    this.#log = log;
    settings.subscribe((changed) => {
      if (changed.has(path) && !this.#isSetting) void kept.set(turnName, undefined).then(() => this.#tell());
    });
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  state(): BlockingState {
    const turn = this.#turn();
    const left = turn === undefined ? null : Math.max(0, Math.ceil((turn.atMs - this.#wallMs()) / 1000));
    return { blocking: this.#settings.current.dns.blocking.active, timer: left };
  }

  /** Called when it was switched or its timer set, also where that left it as it was. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Without seconds for good; a timer that runs is forgotten. */
  async set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    // With a timer the state must be able to turn back, too.
    const { source } = this.#settings.resolved.byPath.get(path) ?? { source: 'default' };
    if (seconds !== undefined && (source === 'environment' || source === 'file')) {
      return fail('settingPinned', `${path} is set by the ${source}`);
    }
    // A timer on a state that stays as it is leaves blocking on.
    const next = blocking === this.state().blocking || !blocking;
    const reviewed = this.#settings.review(new Map([[path, blocking]]));
    if ('failure' in reviewed) return reviewed;
    const failure = await this.#store(actor, reviewed);
    if (failure !== undefined) return failure;
    const isKept = await this.#keepTurn(seconds, next);
    this.#tell();
    return isKept
      ? undefined
      : fail('databaseAway', 'The state holds, but its timer does not survive a restart.');
  }

  /** Turns the state when its time has come. */
  async look(): Promise<void> {
    const turn = this.#turn();
    if (turn === undefined || this.#wallMs() < turn.atMs) return;
    const failure = await this.set('timer', turn.blocking, undefined);
    if (failure !== undefined) return;
    this.#log.info(`Blocking is ${turn.blocking ? 'on' : 'off'} again, as the timer asked`);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #store(actor: Actor, changes: Map<string, SettingValue>): Promise<Failure | undefined> {
    this.#isSetting = true;
    try {
      return await this.#settings.store(actor, changes);
    } finally {
      this.#isSetting = false;
    }
  }

  async #keepTurn(seconds: number | undefined, blocking: boolean): Promise<boolean> {
    if (seconds === undefined && this.#turn() === undefined) return true;
    const turn =
      seconds === undefined ? undefined : { atMs: Math.round(this.#wallMs() + seconds * 1000), blocking };
    return this.#kept.set(turnName, turn === undefined ? undefined : JSON.stringify(turn));
  }

  #turn(): Turn | undefined {
    const text = this.#kept.get(turnName);
    // Written by `#keepTurn` alone.
    return text === undefined ? undefined : (JSON.parse(text) as Turn);
  }
}
