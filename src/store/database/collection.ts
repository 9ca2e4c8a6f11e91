// One collection of entities in memory: what reads are answered from. It keeps the reply as JSON bytes until
// the next change, because serialising a hundred entities for every request costs ten times as much as
// everything else about it; and because it is in memory, reading goes on when the database is away.

import type { SerialisedBody } from '#contract';

export class Collection<T extends { readonly id: number }> {
  readonly #name: string;
  readonly #keyOf: (item: T) => string;
  /** An item as replies have it. */
  readonly #shown: (item: T) => T;
  readonly #byId = new Map<number, T>();
  readonly #byKey = new Map<string, T>();
  #serialised: SerialisedBody | undefined;
  #version = 0;

  constructor(
    name: string,
    keyOf: (item: T) => string,
    items: Iterable<T>,
    shown: (item: T) => T = (item) => item,
  ) {
    this.#name = name;
    this.#keyOf = keyOf;
    this.#shown = shown;
    for (const item of items) this.put(item);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Another one after every change. */
  get version(): number {
    return this.#version;
  }

  filter(wanted: (item: T) => boolean): T[] {
    return [...this.#byId.values()].filter(wanted);
  }

  withId(id: number): T | undefined {
    return this.#byId.get(id);
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  put(item: T): void {
    this.#forget(item.id);
    this.#byId.set(item.id, item);
    this.#byKey.set(this.#keyOf(item), item);
  }

  remove(id: number): void {
    this.#forget(id);
    this.#byId.delete(id);
  }

  /** `{"groups":[…]` without the closing brace: the envelope adds its fields. */
  serialised(): SerialisedBody {
    this.#serialised ??= {
      openJson: `{"${this.#name}":${JSON.stringify([...this.#byId.values()].map(this.#shown))}`,
    };
    return this.#serialised;
  }

  #forget(id: number): void {
    this.#serialised = undefined;
    this.#version++;
    const known = this.#byId.get(id);
    if (known !== undefined) this.#byKey.delete(this.#keyOf(known));
  }
}
