// Pauses of blocking for a group or a client. Which pauses are in force follows from their stored ends and
// the time, so a pause also ends while the program does not run. Deleting expired pauses is only maintenance,
// and is retried when the disk is not writable. While the program runs, the steady clock ends pauses too, so
// that setting the system clock back does not extend them.

import { fail, limits, type Failure, type WriteFailure } from '#contract';
import { type Actor, type Storage, writeFailure } from '#store/database';
import {
  countPauses,
  deletePause,
  dropEndedPauses,
  findPause,
  type PauseOf,
  putPause,
  type StoredPause,
} from '#store/database/entities';
import type { Log } from '#platform/log';
import { pausesInForce } from './pauses-in-force.ts';

type PauseFailure = Failure<'collectionFull' | WriteFailure>;

const checkEveryMs = 1_000;
/** Pauses deleted in one statement; the others wait for the next check. */
const deletedAtOnce = 100;

export interface PausesParts {
  readonly storage: Pick<Storage, 'read' | 'change'>;
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
  readonly log: Log;
}

interface End {
  readonly until: number;
  readonly steadyMs: number;
}

export class Pauses {
  readonly #storage: PausesParts['storage'];
  readonly #wallMs: () => number;
  readonly #steadyMs: () => number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #isDeleting = false;
  /** By id: the end of each pause, and the same on the steady clock. */
  #ends: ReadonlyMap<number, End> = new Map();

  constructor({ storage, wallMs, steadyMs, log }: PausesParts) {
    this.#storage = storage;
    this.#wallMs = wallMs;
    this.#steadyMs = steadyMs;
    this.#log = log;
    this.#timer = setInterval(() => void this.deleteExpired(), checkEveryMs).unref();
  }

  inForce(): readonly StoredPause[] {
    return pausesInForce(this.#all(), this.#nowSeconds());
  }

  /** Without seconds it lasts until `end` is called. An existing pause gets the new end. */
  async begin(actor: Actor, of: PauseOf, seconds: number | undefined): Promise<PauseFailure | undefined> {
    const outcome = await this.#storage.change(actor, async (scope) => {
      await dropEndedPauses(scope);
      const isNew = (await findPause(scope, of)) === undefined;
      if (isNew && (await countPauses(scope)) >= limits.pauses) return full;
      // Rounded up to whole seconds.
      const until = seconds === undefined ? null : Math.ceil(scope.nowMs / 1000 + seconds);
      await putPause(scope, of, until);
      return undefined;
    });
    return outcome.ok ? outcome.value : writeFailure(outcome);
  }

  /** Succeeds also when there is no such pause. */
  async end(actor: Actor, of: PauseOf): Promise<PauseFailure | undefined> {
    const outcome = await this.#storage.change(actor, async (scope) => {
      const pause = await findPause(scope, of);
      if (pause !== undefined) await deletePause(scope, pause);
    });
    return outcome.ok ? undefined : writeFailure(outcome);
  }

  /** Deletes expired pauses. */
  async deleteExpired(): Promise<void> {
    const expired = this.#expired();
    if (this.#isDeleting || (expired.length === 0 && this.inForce().length === this.#all().length)) return;
    this.#isDeleting = true;
    try {
      const outcome = await this.#storage.change('timer', (scope) => dropEndedPauses(scope, expired));
      if (outcome.ok && outcome.value > 0)
        this.#log.info(`${outcome.value === 1 ? 'A pause' : `${outcome.value} pauses`} of blocking ended`);
    } finally {
      this.#isDeleting = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Pauses that have lasted their time by the steady clock. */
  #expired(): readonly Pick<StoredPause, 'id' | 'until'>[] {
    const nowMs = this.#steadyMs();
    const ends = this.#all().flatMap((pause) => this.#endOf(pause));
    this.#ends = new Map(ends);
    const expired = ends.filter(([, { steadyMs }]) => steadyMs <= nowMs).slice(0, deletedAtOnce);
    return expired.map(([id, { until }]) => ({ id, until }));
  }

  #endOf({ id, until }: StoredPause): readonly (readonly [number, End])[] {
    if (until === null) return [];
    const known = this.#ends.get(id);
    const steadyMs = this.#steadyMs() + until * 1000 - this.#wallMs();
    return [[id, known?.until === until ? known : { until, steadyMs }]];
  }

  #all(): readonly StoredPause[] {
    return this.#storage.read.pauses.filter(() => true);
  }

  #nowSeconds(): number {
    return Math.floor(this.#wallMs() / 1000);
  }
}

const full = fail(
  'collectionFull',
  `There can be at most ${limits.pauses} pauses. End some, or pause a group or an address range instead.`,
);
