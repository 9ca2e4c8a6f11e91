// Connects kysely to node:sqlite. Statements are prepared once and kept; parameters are spread, because
// node:sqlite takes them one by one; statements that return columns are readers. There is one connection, and
// kysely's driver makes writers wait for each other.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { PatientDriver } from './patient-driver.ts';

const statementsKept = 256;

export interface WriteWatch {
  /** Called before each statement that may write. */
  readonly beforeWrite: () => void;
  /** Called after each statement that may have written to the disk. */
  readonly written: () => void;
}

const unwatched: WriteWatch = { beforeWrite: () => undefined, written: () => undefined };

export function sqliteDialect(database: DatabaseSync, watch: WriteWatch = unwatched): SqliteDialect {
  // The driver retries, and other work continues meanwhile.
  database.exec('pragma busy_timeout = 0');
  return new TransactionalDialect(adapt(database, watch));
}

/**
 * SQLite rolls back schema changes with their transaction (https://sqlite.org/lang_transaction.html). kysely
 * does not rely on that: it would run migrations without one, and a kill in the middle of a migration would
 * leave a database that no version can open.
 */
class TransactionalDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): PatientDriver {
    return new PatientDriver({ database: this.#database });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function adapt(database: DatabaseSync, watch: WriteWatch): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: (text) => {
      const known = statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= statementsKept) statements.clear();
      const adapted = adaptStatement(database, database.prepare(text), text === 'rollback');
      const statement = /^(?:select|pragma)\b/i.test(text) ? adapted : watched(adapted, database, watch);
      statements.set(text, statement);
      return statement;
    },
  };
}

// SQLite rolls back on its own when the disk is full
// (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction);
// a second rollback would fail and hide the cause.
function adaptStatement(
  database: DatabaseSync,
  statement: StatementSync,
  isRollback: boolean,
): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) =>
      isRollback && !database.isTransaction
        ? { changes: 0, lastInsertRowid: 0 }
        : statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** Inside a transaction nothing is on the disk yet: only its last statement calls `written`. */
function watched(statement: SqliteStatement, database: DatabaseSync, watch: WriteWatch): SqliteStatement {
  function run<T>(work: () => T): T {
    watch.beforeWrite();
    const result = work();
    if (!database.isTransaction) watch.written();
    return result;
  }
  return {
    reader: statement.reader,
    all: (parameters) => run(() => statement.all(parameters)),
    run: (parameters) => run(() => statement.run(parameters)),
    iterate: (parameters) => statement.iterate(parameters),
  };
}

function values(parameters: readonly unknown[]): SQLInputValue[] {
  // kysely types parameters as unknown; the tables' types allow only what SQLite stores.
  return parameters as SQLInputValue[];
}
