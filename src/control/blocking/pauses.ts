// Pauses of blocking for a group or a client: begun, given another end, ended. What holds now follows from
// the stored ends and the time, so a pause ends by itself also when that falls into a time in which the
// program was away; taking out those that are over is only tidying up, and is tried again when the disk
// refuses it. While the program runs a second clock, which nobody sets, ends them too: one that is set back
// stretches none.

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

const lookEveryMs = 1_000;
/** More than these wait for the next look: a statement can be only so long. */
const overAtOnce = 100;

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
  #isLooking = false;
  /** By id, the end of each that was seen, and when that is by the steady clock. */
  #ends: ReadonlyMap<number, End> = new Map();

  constructor({ storage, wallMs, steadyMs, log }: PausesParts) {
    this.#storage = storage;
    this.#wallMs = wallMs;
    this.#steadyMs = steadyMs;
    this.#log = log;
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  inForce(): readonly StoredPause[] {
    return pausesInForce(this.#all(), this.#nowSeconds());
  }

  /** Without seconds until it is ended; one that runs gets the new end. */
  async begin(actor: Actor, of: PauseOf, seconds: number | undefined): Promise<PauseFailure | undefined> {
    const outcome = await this.#storage.change(actor, async (scope) => {
      await dropEndedPauses(scope);
      const isNew = (await findPause(scope, of)) === undefined;
      if (isNew && (await countPauses(scope)) >= limits.pauses) return full;
      // Whole seconds, and rather a moment too long than too short.
      const until = seconds === undefined ? null : Math.ceil(scope.nowMs / 1000 + seconds);
      await putPause(scope, of, until);
      return undefined;
    });
    return outcome.ok ? outcome.value : writeFailure(outcome);
  }

  /** One that there is not is ended already. */
  async end(actor: Actor, of: PauseOf): Promise<PauseFailure | undefined> {
    const outcome = await this.#storage.change(actor, async (scope) => {
      const pause = await findPause(scope, of);
      if (pause !== undefined) await deletePause(scope, pause);
    });
    return outcome.ok ? undefined : writeFailure(outcome);
  }

  /** Takes out what is over. */
  async look(): Promise<void> {
    const over = this.#over();
    if (this.#isLooking || (over.length === 0 && this.inForce().length === this.#all().length)) return;
    this.#isLooking = true;
    try {
      const outcome = await this.#storage.change('timer', (scope) => dropEndedPauses(scope, over));
      if (outcome.ok && outcome.value > 0)
        this.#log.info(`${outcome.value === 1 ? 'A pause' : `${outcome.value} pauses`} of blocking ended`);
    } finally {
      this.#isLooking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Those that have lasted as long as was said, whatever the clock says now. */
  #over(): readonly Pick<StoredPause, 'id' | 'until'>[] {
    const nowMs = this.#steadyMs();
    const ends = this.#all().flatMap((pause) => this.#endOf(pause));
    this.#ends = new Map(ends);
    const over = ends.filter(([, { steadyMs }]) => steadyMs <= nowMs).slice(0, overAtOnce);
    return over.map(([id, { until }]) => ({ id, until }));
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
  `There may be ${limits.pauses} pauses at one time. End some, or pause for a group or a range instead.`,
);
