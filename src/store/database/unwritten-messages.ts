// Diagnosis messages that could not be written to the database. They are kept in memory until they can be
// written or their situation ends. They hide a stored message about the same situation. Their ids are larger
// than any id in the database.

import { limits } from '#contract';

/** Existing API clients know LIST and DISK; SERVICE is for all other parts of the service. */
export type MessageType = 'LIST' | 'DISK' | 'CLIENT' | 'SERVICE';

export interface Situation {
  readonly topic: string;
  readonly key: string;
  readonly type: string;
  readonly plain: string;
}

export interface Message {
  readonly id: number;
  readonly atMs: number;
  readonly type: string;
  readonly plain: string;
}

export type SituatedMessage = Situation & Message;

const firstId = 100_000_000_000_000;

export const isUnwrittenId = (id: number): boolean => id >= firstId;

export class UnwrittenMessages {
  readonly #nowMs: () => number;
  #messages: readonly SituatedMessage[] = [];
  #nextId = firstId;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** False when the same message was there already. */
  put(situation: Situation): boolean {
    const isOld = (one: Situation): boolean => one.topic === situation.topic && one.key === situation.key;
    if (this.#messages.some((one) => isOld(one) && one.plain === situation.plain)) return false;
    const others = this.#messages.filter((one) => !isOld(one));
    const message = { ...situation, id: this.#nextId++, atMs: this.#nowMs() };
    this.#messages = [...others, message].slice(-limits.messages);
    return true;
  }

  /** True when a message was removed. */
  forget(fits: (situation: Situation) => boolean): boolean {
    const before = this.#messages.length;
    this.#messages = this.#messages.filter((one) => !fits(one));
    return this.#messages.length < before;
  }

  /** Returns how many messages were removed. */
  remove(ids: readonly number[]): number {
    const before = this.#messages.length;
    this.#messages = this.#messages.filter(({ id }) => !ids.includes(id));
    return before - this.#messages.length;
  }

  mergedWith(stored: readonly SituatedMessage[]): readonly Message[] {
    const isReplaced = (one: Situation): boolean =>
      this.#messages.some(({ topic, key }) => topic === one.topic && key === one.key);
    return [...stored.filter((one) => !isReplaced(one)), ...this.#messages].slice(-limits.messages);
  }
}
