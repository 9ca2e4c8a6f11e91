// What damage to each file of the data folder costs, read from the table in docs/operating.md: tests expect
// exactly what the documentation promises to users.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import type { Damage } from './damage.ts';

/** Words such as `restored`; several words where the result depends on the damaged byte. */
export type DamageRow = Readonly<Record<Damage, string>>;

const document = new URL('../../docs/operating.md', import.meta.url);

const rows = tableLines().map((line) => {
  const [files = '', deleted = '', emptied = '', garbage = '', cut = '', byte = ''] = line
    .split('|')
    .slice(1)
    .map((cell) => cell.trim());
  const row = {
    deleted,
    emptied,
    garbage,
    'cut in half': cut,
    'byte early': byte,
    'byte in the middle': byte,
  };
  return { patterns: [...files.matchAll(/`([^`]+)`/g)].map(([, name = '']) => patternOf(name)), row };
});

/** Fails for a file without a row in the table: every new file needs one. */
export function damageRow(file: string): DamageRow {
  const found = rows.filter(({ patterns }) => patterns.some((pattern) => pattern.test(file)));
  const [only] = found;
  if (only === undefined || found.length > 1)
    assert.fail(`${file} has ${found.length} rows in "What a damaged file costs" of docs/operating.md.`);
  return only.row;
}

function tableLines(): readonly string[] {
  const [, section = ''] = readFileSync(document, 'utf8').split('## What a damaged file costs\n');
  return section.split('\n## ', 1)[0]?.match(/^\| `.*$/gm) ?? [];
}

function patternOf(name: string): RegExp {
  const parts = name.split('…').map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.*')}$`);
}
