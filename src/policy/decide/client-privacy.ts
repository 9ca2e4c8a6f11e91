// How much may be remembered of what a client asks: its groups say so. Apart from the policy, because it
// holds also when no rule does; the configured client is found in the same way.

import type { PolicyClient } from '../policy-client.ts';
import { ClientTable, type ClientRow } from './client-table.ts';

/** 0: everything; 1: no names; 2: not who asked either; 3: nothing. */
export class ClientPrivacy {
  readonly #clients: ClientTable;
  readonly #unknown: number;

  /** `unknown` is that of clients that are not configured. */
  constructor(clients: readonly ClientRow[], unknown: number) {
    this.#clients = new ClientTable(clients);
    this.#unknown = unknown;
  }

  levelOf(client: PolicyClient): number {
    const row = this.#clients.find(client);
    return row === undefined ? this.#unknown : (row.privacy ?? 0);
  }
}
