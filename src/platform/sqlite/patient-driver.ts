// Retries statements while another program locks the database. SQLite itself would block the whole thread,
// and every request with it; so its busy timeout is 0, and this driver retries. A transaction takes the lock
// when it begins, so it is never refused in the middle and nothing runs twice. All waiting statements share
// one retry limit: when it is reached, each waiting statement is tried once and then fails at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, SqliteDriver, type DatabaseConnection, type QueryResult } from 'kysely';
import { isHeldByOthers } from './sqlite-errors.ts';

const tryEveryMs = 25;
/** About two seconds. */
const maxTries = 80;

export class PatientDriver extends SqliteDriver {
  #connection: PatientConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= new PatientConnection(await super.acquireConnection());
    return this.#connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  #triesLeft = maxTries;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (;;) {
      const result = await this.#try<R>(query);
      if (result !== undefined) return result;
      this.#triesLeft -= 1;
      await sleep(tryEveryMs);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery(query, chunkSize);
  }

  /** Undefined when it must be retried. Reads work while other programs write, so they do not count. */
  async #try<R>(query: CompiledQuery): Promise<QueryResult<R> | undefined> {
    try {
      const result = await this.#connection.executeQuery<R>(query);
      if (query.query.kind !== 'SelectQueryNode') this.#triesLeft = maxTries;
      return result;
    } catch (error) {
      if (!isHeldByOthers(error) || this.#triesLeft <= 0) throw error;
      return undefined;
    }
  }
}
