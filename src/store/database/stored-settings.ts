// Settings in the database are those that were set through the API. Values are JSON. A secret is stored (the
// password as a hash), but its revision contains a mask.

import type { Kysely } from 'kysely';
import { settingEntries, type SettingValue } from '#contract';
import type { ChangeScope } from './change.ts';
import type { Tables } from './schema.ts';

const secrets = new Set(settingEntries.filter(({ setting }) => setting.secret).map(({ path }) => path));
const mask = '********';

export async function loadSettings(db: Kysely<Tables>): Promise<Map<string, unknown>> {
  const rows = await db.selectFrom('settings').selectAll().execute();
  return new Map(rows.map(({ path, value }) => [path, JSON.parse(value)]));
}

export async function storeSetting(
  { db, record }: ChangeScope,
  path: string,
  before: SettingValue | undefined,
  value: SettingValue,
): Promise<void> {
  const row = { path, value: JSON.stringify(value) };
  await db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('path').doUpdateSet({ value: row.value }))
    .execute();
  const shown = (state: SettingValue | undefined): unknown => (secrets.has(path) ? mask : (state ?? null));
  record({
    entity: 'setting',
    key: path,
    before: before === undefined ? null : shown(before),
    after: shown(value),
  });
}
