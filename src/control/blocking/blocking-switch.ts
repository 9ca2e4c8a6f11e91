// The blocking switch with its timer. On the disk stands when the state turns, as Unix time, and what it
// turns to: a timer that fires twice, or late, must not turn it the wrong way; and one that somebody has
// overtaken by changing the state himself is forgotten. What is in force follows from that and from the
// time, so a disk that takes nothing keeps nobody unprotected: listeners hear of the turn at its exact time,
// and writing it down comes after that and is tried again each second. A second clock that nobody sets
// bounds what is left: one that is set back stretches nothing.

import { fail, type Failure } from '#contract';
import type { Log } from '#platform/log';
import type { Actor, Secrets } from '#store/database';
import { ExactTimer } from '#platform/time';
import type { LiveSettings } from '#store/settings';

export interface BlockingState {
  readonly blocking: boolean;
  /** Whole seconds. */
  readonly timer: number | null;
}

const path = 'dns.blocking.active';
const turnName = 'blocking turns';
const timerActor = 'timer';

interface Turn {
  readonly atMs: number;
  readonly blocking: boolean;
}

export interface BlockingSwitchParts {
  readonly settings: LiveSettings;
  readonly kept: Secrets;
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
  readonly log: Log;
}

export class BlockingSwitch {
  readonly #parts: BlockingSwitchParts;
  readonly #timer: ExactTimer;
  readonly #listeners: (() => void)[] = [];
  #isSetting = false;
  #last: Promise<unknown> = Promise.resolve();
  /** When the turn that is stored comes by the steady clock. */
  #due = { atMs: 0, steadyMs: 0 };
  /** The turn that is in force and that listeners were told of. */
  #toldMs: number | undefined;
  /** The turn that is in force and that the disk did not take. */
  #unwrittenMs: number | undefined;

  constructor(parts: BlockingSwitchParts) {
    const { settings, kept } = parts;
    this.#parts = parts;
    settings.subscribe((changed) => {
      if (changed.has(path) && !this.#isSetting) void kept.set(turnName, undefined).then(() => this.#tell());
    });
    this.#timer = new ExactTimer(
      () => this.#untilTurnMs(),
      () => void this.look(),
    );
    this.#timer.follow();
  }

  state(): BlockingState {
    const blocking = this.#parts.settings.current.dns.blocking.active;
    const turn = this.#turn();
    if (turn === undefined) return { blocking, timer: null };
    const leftMs = this.#leftMs(turn);
    return leftMs > 0
      ? { blocking, timer: Math.ceil(leftMs / 1000) }
      : { blocking: turn.blocking, timer: null };
  }

  /** Called when it was switched or its timer set, also where that left it as it was. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Without seconds for good; a timer that runs is forgotten. */
  async set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    return this.#inTurn(() => this.#set(actor, blocking, seconds));
  }

  async #set(actor: Actor, blocking: boolean, seconds: number | undefined): Promise<Failure | undefined> {
    const { settings, kept } = this.#parts;
    const pinned = seconds === undefined ? undefined : this.#pinned();
    if (pinned !== undefined) return pinned;
    const next = this.#next(blocking);
    const reviewed = settings.review(new Map([[path, blocking]]));
    if ('failure' in reviewed) return reviewed;
    // There before the state that it ends, and gone after it: killed in between, nothing stays off for good.
    const before = kept.get(turnName);
    const isKept = seconds === undefined || (await this.#keepTurn(seconds, next));
    const stored = await settings.store(actor, reviewed);
    if ('failure' in stored) {
      if (seconds !== undefined) await kept.set(turnName, before);
      return stored;
    }
    const isForgotten = seconds !== undefined || (await this.#forgetTurn());
    this.#tellOf(actor);
    return isKept && isForgotten
      ? undefined
      : fail('databaseAway', 'The state holds, but its timer does not survive a restart.');
  }

  /** With a timer the state must be able to turn back, too. */
  #pinned(): Failure | undefined {
    const { source } = this.#parts.settings.resolved.byPath.get(path) ?? { source: 'default' };
    return source === 'environment' || source === 'file'
      ? fail('settingPinned', `${path} is set by the ${source}`)
      : undefined;
  }

  /** What a timer ends in: the opposite; one on a state that stays as it is leaves blocking on. */
  #next(blocking: boolean): boolean {
    return blocking === this.state().blocking || !blocking;
  }

  /** Turns the state when its time has come. */
  async look(): Promise<void> {
    if (!this.#isSetting) await this.#inTurn(() => this.#look());
  }

  async #look(): Promise<void> {
    const turn = this.#turn();
    if (turn === undefined || this.#leftMs(turn) > 0) return;
    // It is in force by the time alone, so nobody waits for the disk.
    if (this.#toldMs !== turn.atMs) this.#tell();
    this.#toldMs = turn.atMs;
    const failure = await this.#set(timerActor, turn.blocking, undefined);
    const said = `Blocking is ${turn.blocking ? 'on' : 'off'} again, as the timer asked`;
    if (failure === undefined) return this.#parts.log.info(said);
    if (this.#unwrittenMs === turn.atMs) return;
    this.#unwrittenMs = turn.atMs;
    this.#parts.log.warn(`${said}; the database does not take that now, which is tried again`, {
      reason: failure.hint,
    });
  }

  close(): void {
    this.#timer.stop();
  }

  /** Of a turn of the timer it is told when it comes, not when it is written. */
  #tellOf(actor: Actor): void {
    if (actor !== timerActor) this.#tell();
  }

  #tell(): void {
    this.#timer.follow();
    for (const listener of this.#listeners) listener();
  }

  /** One after the other: the timer of one would otherwise be forgotten by another that began before it. */
  async #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      this.#isSetting = true;
      return step().finally(() => (this.#isSetting = false));
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #keepTurn(seconds: number, blocking: boolean): Promise<boolean> {
    const turn: Turn = { atMs: Math.round(this.#parts.wallMs() + seconds * 1000), blocking };
    this.#leftMs(turn);
    return this.#parts.kept.set(turnName, JSON.stringify(turn));
  }

  async #forgetTurn(): Promise<boolean> {
    return this.#turn() === undefined || this.#parts.kept.set(turnName, undefined);
  }

  #turn(): Turn | undefined {
    const text = this.#parts.kept.get(turnName);
    // Written by `#keepTurn` alone.
    return text === undefined ? undefined : (JSON.parse(text) as Turn);
  }

  #untilTurnMs(): number {
    const turn = this.#turn();
    return turn === undefined ? Number.POSITIVE_INFINITY : this.#leftMs(turn);
  }

  /** From the first look on by both clocks. */
  #leftMs({ atMs }: Turn): number {
    const { wallMs, steadyMs } = this.#parts;
    const leftMs = atMs - wallMs();
    if (this.#due.atMs !== atMs) this.#due = { atMs, steadyMs: steadyMs() + leftMs };
    return Math.min(leftMs, this.#due.steadyMs - steadyMs());
  }
}
