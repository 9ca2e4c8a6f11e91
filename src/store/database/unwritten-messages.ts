// Diagnosis messages that the database did not take, kept in memory until their situation ends or the
// database takes them. They replace what is stored about the same situation, and have ids that no stored one
// reaches.

import { limits } from '#contract';

/** LIST and DISK are known to existing clients; SERVICE is any other part of the service. */
export type MessageType = 'LIST' | 'DISK' | 'SERVICE';

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

  /** True when that is news. */
  put(situation: Situation): boolean {
    const isOld = (one: Situation): boolean => one.topic === situation.topic && one.key === situation.key;
    if (this.#messages.some((one) => isOld(one) && one.plain === situation.plain)) return false;
    const others = this.#messages.filter((one) => !isOld(one));
    const message = { ...situation, id: this.#nextId++, atMs: this.#nowMs() };
    this.#messages = [...others, message].slice(-limits.messages);
    return true;
  }

  /** True when there was one. */
  forget(fits: (situation: Situation) => boolean): boolean {
    const before = this.#messages.length;
    this.#messages = this.#messages.filter((one) => !fits(one));
    return this.#messages.length < before;
  }

  /** How many there were. */
  remove(ids: readonly number[]): number {
    const before = this.#messages.length;
    this.#messages = this.#messages.filter(({ id }) => !ids.includes(id));
    return before - this.#messages.length;
  }

  joinedTo(stored: readonly SituatedMessage[]): readonly Message[] {
    const isReplaced = (one: Situation): boolean =>
      this.#messages.some(({ topic, key }) => topic === one.topic && key === one.key);
    return [...stored.filter((one) => !isReplaced(one)), ...this.#messages].slice(-limits.messages);
  }
}
