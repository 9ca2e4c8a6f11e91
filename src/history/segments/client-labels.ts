// The names of clients: the last known name of each. Only clients with a name have an entry, so that queries
// from ten thousand unknown addresses use no memory here.

import type { HistoryDatabase } from './database.ts';
import type { Dictionary } from './dictionary.ts';
import { patternOf } from './pattern.ts';

const maxLabels = 100_000;

export class ClientLabels {
  readonly #database: HistoryDatabase;
  readonly #clients: Dictionary;
  readonly #labels = new Map<number, string>();
  readonly #changed = new Set<number>();

  constructor(database: HistoryDatabase, clients: Dictionary) {
    this.#database = database;
    this.#clients = clients;
    const rows = database.statement("select id, label from client where label <> '' limit ?").all(maxLabels);
    for (const row of rows) this.#labels.set(Number(row['id']), String(row['label']));
  }

  /** '' when the client has no name. */
  of(clientId: number): string {
    return this.#labels.get(clientId) ?? '';
  }

  /** Sets the name of the client with this address; ignored for an address that has never sent a query. */
  set(address: string, label: string): void {
    for (const id of this.#clients.idsOf(address)) {
      const isFull = this.#labels.size >= maxLabels && !this.#labels.has(id);
      if (this.of(id) === label || isFull) continue;
      if (label === '') this.#labels.delete(id);
      else this.#labels.set(id, label);
      this.#changed.add(id);
    }
  }

  /** Removes clients that were deleted. */
  forget(clientIds: readonly number[]): void {
    for (const id of clientIds) this.#labels.delete(id);
  }

  idsLike(pattern: string): number[] {
    const fits = patternOf(pattern);
    return [...this.#labels].filter(([, label]) => fits(label)).map(([id]) => id);
  }

  /** Runs inside the transaction that stores the clients. */
  store(): void {
    const update = this.#database.statement('update client set label = ? where id = ?');
    for (const id of this.#changed) update.run(this.of(id), id);
  }

  stored(): void {
    this.#changed.clear();
  }
}
