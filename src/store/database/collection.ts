// One collection of entities in memory, from which the API answers reads. It caches the serialised reply
// until the next change, because serialising a hundred entities costs ten times as much as the rest of a
// request. Reads keep working when the database is unavailable.

import type { SerialisedBody } from '#contract';

interface CollectionOptions<T> {
  /** The item as replies show it. */
  readonly shown?: (item: T) => T;
  readonly problem?: string | undefined;
}

export class Collection<T extends { readonly id: number }> {
  readonly #name: string;
  readonly #keyOf: (item: T) => string;
  readonly #shown: (item: T) => T;
  /** Why the table could not be read; undefined when it was. */
  readonly problem: string | undefined;
  readonly #byId = new Map<number, T>();
  readonly #byKey = new Map<string, T>();
  #serialised: SerialisedBody | undefined;
  #version = 0;

  constructor(
    name: string,
    keyOf: (item: T) => string,
    items: Iterable<T>,
    { shown = (item) => item, problem }: CollectionOptions<T> = {},
  ) {
    this.#name = name;
    this.#keyOf = keyOf;
    this.#shown = shown;
    this.problem = problem;
    for (const item of items) this.put(item);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Increases with every change. */
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

  /** `{"groups":[…]` without the closing brace, so that the envelope can add its fields. */
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
