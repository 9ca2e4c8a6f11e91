// The queries whose verdict changes in one direction, summed by name and by client. One query per name is
// remembered, to find the rule that blocks it.

/** Numbers of the simulation; `type` and `pair` as in Judge. */
export interface Instance {
  name: number;
  /** The blocked target; -1: none. */
  target: number;
  type: number;
  pair: number;
}

interface CountedInstance extends Instance {
  count: number;
}

export class Tally {
  queries = 0;
  readonly #names = new Map<number, CountedInstance>();
  readonly #clients = new Map<number, number>();

  get names(): number {
    return this.#names.size;
  }

  get clients(): number {
    return this.#clients.size;
  }

  add(instance: Readonly<Instance>, client: number, count: number): void {
    this.queries += count;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + count);
    const known = this.#names.get(instance.name);
    if (known === undefined) this.#names.set(instance.name, { ...instance, count });
    else known.count += count;
  }

  topNames(max: number): readonly Readonly<CountedInstance>[] {
    return [...this.#names.values()].toSorted((a, b) => b.count - a.count || a.name - b.name).slice(0, max);
  }

  /** `client`: its id in the history. */
  topClients(max: number): readonly { readonly client: number; readonly count: number }[] {
    return [...this.#clients]
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .slice(0, max)
      .map(([client, count]) => ({ client, count }));
  }
}
