// How much of a client's queries may be recorded, according to its groups. Separate from the policy, because
// it also applies when no rule does; the configured client is found in the same way.

import type { PolicyClient } from '../policy-client.ts';
import { ClientTable, type ClientRow } from './client-table.ts';

/** 0: everything; 1: no names; 2: no client either; 3: nothing. */
export class ClientPrivacy {
  readonly #clients: ClientTable;
  readonly #unknown: number;

  /** `unknown` is the level of clients that are not configured. */
  constructor(clients: readonly ClientRow[], unknown: number) {
    this.#clients = new ClientTable(clients);
    this.#unknown = unknown;
  }

  levelOf(client: PolicyClient): number {
    const row = this.#clients.find(client);
    return row === undefined ? this.#unknown : (row.privacy ?? 0);
  }
}
