// The newest events, for readers that reconnect. The size is limited in bytes; the oldest events are dropped
// first. The ring knows up to which number events may be missing, so that the loss is reported to the reader.

import type { EventType } from '#contract';

export interface KeptEvent {
  readonly number: number;
  readonly type: EventType;
  readonly bytes: Buffer;
}

export class EventRing {
  readonly #maxBytes: number;
  readonly #events: KeptEvent[] = [];
  #sizeBytes = 0;
  #lostUpTo = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(event: KeptEvent): void {
    this.#events.push(event);
    this.#sizeBytes += event.bytes.length;
    while (this.#sizeBytes > this.#maxBytes) this.#dropOldest();
  }

  /** Drops all events; those up to this number count as lost. */
  dropUpTo(number: number): void {
    this.#events.length = 0;
    this.#sizeBytes = 0;
    this.#lostUpTo = number;
  }

  /** The events after this number. */
  since(number: number): readonly KeptEvent[] {
    return this.#events.filter((event) => event.number > number);
  }

  hasLostSince(number: number): boolean {
    return number < this.#lostUpTo;
  }

  #dropOldest(): void {
    const oldest = this.#events.shift();
    if (oldest === undefined) return;
    this.#sizeBytes -= oldest.bytes.length;
    this.#lostUpTo = oldest.number;
  }
}
