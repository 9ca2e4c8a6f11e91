// Numbers the events, serialises each once, and keeps the newest. The id that readers see contains the number
// and the run of the service, because numbers restart with each run: an id of an earlier run must not look
// like a recent one. Query events are kept separately, so that they do not push out other events.

import { limits, type EventType } from '#contract';
import type { ServiceEvent } from './event-hub.ts';
import { EventRing, type KeptEvent } from './event-ring.ts';
import { eventBytes, typeOf } from './event-text.ts';

export interface Resumed {
  /** The id after which the reader continues. */
  readonly id: string;
  readonly hasLost: boolean;
  readonly events: readonly KeptEvent[];
}

export class EventLog {
  readonly #run: string;
  readonly #queries = new EventRing(limits.eventBytesKept);
  readonly #others = new EventRing(limits.eventBytesKept);
  #last = 0;

  /** `startedMs` identifies this run. */
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

  /** Marks that query events are no longer recorded, so that a later reader learns of the gap. */
  stopQueries(): void {
    this.#queries.dropUpTo(++this.#last);
  }

  /** The events after `lastId`; a reader without a last id starts with the next event. */
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

  /** Undefined when the id is of another run, or was never issued. */
  #numberOf(id: string): number | undefined {
    const [, run, digits = ''] = /^([0-9a-z]+)-(\d{1,15})$/u.exec(id) ?? [];
    const number = Number(digits);
    return run === this.#run && number <= this.#last ? number : undefined;
  }
}
