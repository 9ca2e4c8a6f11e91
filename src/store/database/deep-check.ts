// The deep check of the database file, which reads the whole file.

import type { DatabaseSync } from 'node:sqlite';

/** Undefined when the file is sound. `integrity_check` also compares indexes with their tables. */
export function deepProblem(
  database: DatabaseSync,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): string | undefined {
  const result = database.prepare(`pragma ${check}(1)`).get()?.[check];
  return result === 'ok' ? undefined : `the check found: ${String(result).replaceAll('\n', ' ')}`;
}
