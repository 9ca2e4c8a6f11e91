// What clients are called: the name that each was known by last. Only clients with a name take a place, so
// that strangers who send from ten thousand addresses cost nothing here.

import type { HistoryDatabase } from './database.ts';
import type { Dictionary } from './dictionary.ts';
import { patternOf } from './pattern.ts';

const mostLabels = 100_000;

export class ClientLabels {
  readonly #database: HistoryDatabase;
  readonly #clients: Dictionary;
  readonly #labels = new Map<number, string>();
  readonly #changed = new Set<number>();

  constructor(database: HistoryDatabase, clients: Dictionary) {
    this.#database = database;
    this.#clients = clients;
    const rows = database.statement("select id, label from client where label <> '' limit ?").all(mostLabels);
    for (const row of rows) this.#labels.set(Number(row['id']), String(row['label']));
  }

  /** '' when it has none. */
  of(clientId: number): string {
    return this.#labels.get(clientId) ?? '';
  }

  /** Says what the client with this address is called; nothing happens for one that never asked. */
  set(address: string, label: string): void {
    for (const id of this.#clients.idsOf(address)) {
      const isFull = this.#labels.size >= mostLabels && !this.#labels.has(id);
      if (this.of(id) === label || isFull) continue;
      if (label === '') this.#labels.delete(id);
      else this.#labels.set(id, label);
      this.#changed.add(id);
    }
  }

  /** These clients are gone. */
  forget(clientIds: readonly number[]): void {
    for (const id of clientIds) this.#labels.delete(id);
  }

  idsLike(pattern: string): number[] {
    const fits = patternOf(pattern);
    return [...this.#labels].filter(([, label]) => fits(label)).map(([id]) => id);
  }

  /** Part of the transaction that stores the clients. */
  store(): void {
    const update = this.#database.statement('update client set label = ? where id = ?');
    for (const id of this.#changed) update.run(this.of(id), id);
  }

  stored(): void {
    this.#changed.clear();
  }
}
