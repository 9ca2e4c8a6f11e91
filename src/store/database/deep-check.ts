// A thorough check of the database file, which reads all of it.

import type { DatabaseSync } from 'node:sqlite';

/** Nothing when the file is sound. `integrity_check` compares indexes with their tables, too. */
export function deepProblem(
  database: DatabaseSync,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): string | undefined {
  const result = database.prepare(`pragma ${check}(1)`).get()?.[check];
  return result === 'ok' ? undefined : `the check found: ${String(result).replaceAll('\n', ' ')}`;
}
