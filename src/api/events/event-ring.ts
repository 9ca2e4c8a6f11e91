// The newest events, for readers who come again: bounded in bytes, the oldest go first. It knows up to which
// number events may be missing, so that a reader is told when it has lost some.

import type { EventType } from '#contract';

export interface KeptEvent {
  readonly number: number;
  readonly type: EventType;
  readonly bytes: Buffer;
}

export class EventRing {
  readonly #bytesMax: number;
  readonly #events: KeptEvent[] = [];
  #sizeBytes = 0;
  #goneUpTo = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(event: KeptEvent): void {
    this.#events.push(event);
    this.#sizeBytes += event.bytes.length;
    while (this.#sizeBytes > this.#bytesMax) this.#dropOldest();
  }

  /** Events up to this number are not to be had. */
  forget(upTo: number): void {
    this.#events.length = 0;
    this.#sizeBytes = 0;
    this.#goneUpTo = upTo;
  }

  /** Those that came after the one with this number. */
  since(number: number): readonly KeptEvent[] {
    return this.#events.filter((event) => event.number > number);
  }

  hasLostSince(number: number): boolean {
    return number < this.#goneUpTo;
  }

  #dropOldest(): void {
    const oldest = this.#events.shift();
    if (oldest === undefined) return;
    this.#sizeBytes -= oldest.bytes.length;
    this.#goneUpTo = oldest.number;
  }
}
