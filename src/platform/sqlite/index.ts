// The door of what all SQLite files share: the driver that retries, and the error codes.

export { sqliteDialect } from './sqlite-dialect.ts';
export { databaseTrouble, isDiskTrouble, isSqliteError, troubleText } from './sqlite-errors.ts';
