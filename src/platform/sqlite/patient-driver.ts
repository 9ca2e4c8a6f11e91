// How kysely reaches SQLite while another program holds the database. SQLite itself would wait with the whole
// thread, and every request with it; so it does not wait at all, and statements are tried again from here. A
// transaction takes the lock when it begins: what has begun is not refused in the middle, and nothing has to
// be done twice. All who wait share one patience: once it is spent each is tried once, and whoever stands in
// line hears of it at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, SqliteDriver, type DatabaseConnection, type QueryResult } from 'kysely';
import { isHeldByOthers } from './sqlite-errors.ts';

const tryEveryMs = 25;
/** Some two seconds. */
const triesMax = 80;

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
  #triesLeft = triesMax;

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

  /** Nothing when it is to be tried again. Reading works while others write, so it says nothing of them. */
  async #try<R>(query: CompiledQuery): Promise<QueryResult<R> | undefined> {
    try {
      const result = await this.#connection.executeQuery<R>(query);
      if (query.query.kind !== 'SelectQueryNode') this.#triesLeft = triesMax;
      return result;
    } catch (error) {
      if (!isHeldByOthers(error) || this.#triesLeft <= 0) throw error;
      return undefined;
    }
  }
}
