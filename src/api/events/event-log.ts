// Every event gets a number, becomes bytes once, and is kept for a while. The id that readers see holds the
// number and which run of the service it is of: numbers begin anew with each run, and a reader of the last
// one must not be taken for one who has seen it all. Queries are kept apart, so that many of them do not push
// out the rest.

import { limits, type EventType } from '#contract';
import type { ServiceEvent } from './event-hub.ts';
import { EventRing, type KeptEvent } from './event-ring.ts';
import { eventBytes, typeOf } from './event-text.ts';

export interface Resumed {
  /** What the reader goes on from. */
  readonly id: string;
  readonly hasLost: boolean;
  readonly events: readonly KeptEvent[];
}

export class EventLog {
  readonly #run: string;
  readonly #queries = new EventRing(limits.eventBytesKept);
  readonly #others = new EventRing(limits.eventBytesKept);
  #last = 0;

  /** `startedMs` tells this run from others. */
  constructor(startedMs: number) {
    this.#run = Math.round(startedMs).toString(36);
  }

  add(event: ServiceEvent): KeptEvent {
    const number = ++this.#last;
    const type = typeOf(event.name);
    const kept = { number, type, bytes: eventBytes(this.#idOf(number), event) };
    (type === 'queries' ? this.#queries : this.#others).add(kept);
    return kept;
  }

  /** From now on nobody looks at queries, so some will be missing. */
  stopQueries(): void {
    this.#queries.forget(++this.#last);
  }

  /** Where a reader goes on that has seen this id; without one it begins with what comes next. */
  resume(lastId: string | undefined, types: ReadonlySet<EventType>): Resumed {
    if (lastId === undefined) return { id: this.#idOf(this.#last), hasLost: false, events: [] };
    const seen = this.#numberOf(lastId);
    const from = seen ?? 0;
    const rings = [...(types.has('queries') ? [this.#queries] : []), this.#others];
    const events = rings.flatMap((ring) => ring.since(from)).filter(({ type }) => types.has(type));
    return {
      id: this.#idOf(from),
      hasLost: seen === undefined || rings.some((ring) => ring.hasLostSince(from)),
      events: events.toSorted((one, other) => one.number - other.number),
    };
  }

  #idOf(number: number): string {
    return `${this.#run}-${number}`;
  }

  /** Nothing when the id is of another run, or none that was given. */
  #numberOf(id: string): number | undefined {
    const [, run, digits = ''] = /^([0-9a-z]+)-(\d{1,15})$/u.exec(id) ?? [];
    const number = Number(digits);
    return run === this.#run && number <= this.#last ? number : undefined;
  }
}
