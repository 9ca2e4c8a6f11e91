// The door to what all SQLite files share: the driver's patience and its error codes.

export { sqliteDialect } from './sqlite-dialect.ts';
export { databaseTrouble, isDiskTrouble, isSqliteError, troubleText } from './sqlite-errors.ts';
