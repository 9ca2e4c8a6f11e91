// The blocking switch with its timer. The database holds when the timer expires, as Unix time, and the state
// that blocking then has: a timer that fires twice, or late, must not switch to the wrong state. Changing the
// setting cancels the timer. The state in force follows from the stored expiry and the time, so a timer
// expires on time even when the disk is not writable: subscribers are notified at the exact time, and storing
// the new state is retried every second afterwards. The steady clock limits the wait too, so that setting the
// system clock back does not extend it.

import { fail, type Failure } from '#contract';
import type { Log } from '#platform/log';
import type { Actor, Secrets } from '#store/database';
import { ExactTimer } from '#platform/time';
import type { LiveSettings } from '#store/settings';
import { SerialQueue } from '#platform/tasks';

export interface BlockingState {
  readonly blocking: boolean;
  /** Whole seconds. */
  readonly timer: number | null;
}

const path = 'dns.blocking.active';
/** The key in the database. */
const expiryName = 'blocking turns';
const timerActor = 'timer';

/** When the timer expires, and the state that blocking then has. */
interface Expiry {
  readonly atMs: number;
  readonly blocking: boolean;
}

export interface BlockingSwitchParts {
  readonly settings: LiveSettings;
  readonly secrets: Secrets;
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
  readonly log: Log;
}

export class BlockingSwitch {
  readonly #parts: BlockingSwitchParts;
  readonly #timer: ExactTimer;
  readonly #listeners: (() => void)[] = [];
  #isSetting = false;
  readonly #queue = new SerialQueue();
  /** The stored expiry, and the same on the steady clock. */
  #due = { atMs: 0, steadyMs: 0 };
  /** The last expiry that listeners were notified of. */
  #notifiedMs: number | undefined;
  /** The last expiry whose new state could not be stored. */
  #unstoredMs: number | undefined;

  constructor(parts: BlockingSwitchParts) {
    const { settings, secrets } = parts;
    this.#parts = parts;
    settings.subscribe((changed) => {
      if (changed.has(path) && !this.#isSetting)
        void secrets.set(expiryName, undefined).then(() => this.#notify());
    });
    this.#timer = new ExactTimer(
      () => this.#untilExpiryMs(),
      () => void this.checkExpiry(),
    );
    this.#timer.reschedule();
  }

  state(): BlockingState {
    const blocking = this.#parts.settings.current.dns.blocking.active;
    const expiry = this.#expiry();
    if (expiry === undefined) return { blocking, timer: null };
    const leftMs = this.#leftMs(expiry);
    return leftMs > 0
      ? { blocking, timer: Math.ceil(leftMs / 1000) }
      : { blocking: expiry.blocking, timer: null };
  }

  /** The listener is called after every change of switch or timer, also when the values stay the same. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Without seconds the change is permanent. Cancels a running timer. */
  async set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    return this.#enqueue(() => this.#set(actor, blocking, seconds));
  }

  async #set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    const { settings, secrets } = this.#parts;
    const pinned = seconds === undefined ? undefined : this.#pinned();
    if (pinned !== undefined) return pinned;
    const next = this.#next(blocking);
    const reviewed = settings.review(new Map([[path, blocking]]));
    if ('failure' in reviewed) return reviewed;
    // Stored before the state and removed after it, so that a crash in between never leaves blocking off.
    const before = secrets.get(expiryName);
    const isExpiryStored = seconds === undefined || (await this.#storeExpiry(seconds, next));
    const stored = await settings.store(actor, reviewed);
    if ('failure' in stored) {
      if (seconds !== undefined) await secrets.set(expiryName, before);
      return stored;
    }
    const isRemoved = seconds !== undefined || (await this.#removeExpiry());
    this.#notifyUnlessTimer(actor);
    return isExpiryStored && isRemoved
      ? undefined
      : fail('databaseAway', 'The state is in force, but its timer will not survive a restart.');
  }

  /** A timer has to change the setting when it expires, so it is refused when the setting is pinned. */
  #pinned(): Failure | undefined {
    const { source } = this.#parts.settings.resolved.byPath.get(path) ?? { source: 'default' };
    return source === 'environment' || source === 'file'
      ? fail('settingPinned', `${path} is set by the ${source}`)
      : undefined;
  }

  /** The state after the timer: the opposite, or on when the timer did not change the state. */
  #next(blocking: boolean): boolean {
    return blocking === this.state().blocking || !blocking;
  }

  /** Switches the state if the timer has expired. */
  async checkExpiry(): Promise<void> {
    if (!this.#isSetting) await this.#enqueue(() => this.#checkExpiry());
  }

  async #checkExpiry(): Promise<void> {
    const expiry = this.#expiry();
    if (expiry === undefined || this.#leftMs(expiry) > 0) return;
    // The new state is already in force, so listeners do not wait for the disk.
    if (this.#notifiedMs !== expiry.atMs) this.#notify();
    this.#notifiedMs = expiry.atMs;
    const failure = await this.#set(timerActor, expiry.blocking, undefined);
    const text = `Blocking is ${expiry.blocking ? 'on' : 'off'} again: its timer has expired`;
    if (failure === undefined) return this.#parts.log.info(text);
    if (this.#unstoredMs === expiry.atMs) return;
    this.#unstoredMs = expiry.atMs;
    this.#parts.log.warn(`${text}; this cannot be stored in the database now and is retried`, {
      reason: failure.hint,
    });
  }

  close(): void {
    this.#timer.stop();
  }

  /** When the timer made the change, listeners were already notified at its expiry. */
  #notifyUnlessTimer(actor: Actor): void {
    if (actor !== timerActor) this.#notify();
  }

  #notify(): void {
    this.#timer.reschedule();
    for (const listener of this.#listeners) listener();
  }

  /** One at a time: a change that started earlier could otherwise remove the timer of a later one. */
  async #enqueue<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      this.#isSetting = true;
      return step().finally(() => (this.#isSetting = false));
    });
  }

  async #storeExpiry(seconds: number, blocking: boolean): Promise<boolean> {
    const expiry: Expiry = { atMs: Math.round(this.#parts.wallMs() + seconds * 1000), blocking };
    // Starts the measurement on the steady clock.
    this.#leftMs(expiry);
    return this.#parts.secrets.set(expiryName, JSON.stringify(expiry));
  }

  async #removeExpiry(): Promise<boolean> {
    return this.#expiry() === undefined || this.#parts.secrets.set(expiryName, undefined);
  }

  #expiry(): Expiry | undefined {
    const text = this.#parts.secrets.get(expiryName);
    // Only `#storeExpiry` writes it.
    return text === undefined ? undefined : (JSON.parse(text) as Expiry);
  }

  #untilExpiryMs(): number {
    const expiry = this.#expiry();
    return expiry === undefined ? Number.POSITIVE_INFINITY : this.#leftMs(expiry);
  }

  /** By both clocks, from the first call for this expiry on. */
  #leftMs({ atMs }: Expiry): number {
    const { wallMs, steadyMs } = this.#parts;
    const leftMs = atMs - wallMs();
    if (this.#due.atMs !== atMs) this.#due = { atMs, steadyMs: steadyMs() + leftMs };
    return Math.min(leftMs, this.#due.steadyMs - steadyMs());
  }
}
