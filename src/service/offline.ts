// What the command line can say about the settings without a running service: whether environment and file
// are right, and what every setting is, with the stored ones read from the database file.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { settingEntries, type SettingValue } from '#contract';
import {
  type Located,
  machineDefaults,
  readSources,
  type ResolvedSettings,
  resolveSettings,
  type SettingSource,
} from '#store/settings';
import { secretMask } from '#store';
import { databaseFile } from '#store/database/maintenance';

export interface SettingRow {
  readonly path: string;
  /** Masked when it is a secret. */
  readonly value: SettingValue;
  readonly source: SettingSource;
}

export interface OfflineSettings {
  readonly rows: readonly SettingRow[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

export const readSettingsOffline = (located: Located, env: Environment): OfflineSettings => {
  const { pinned, problems, warnings } = readSources(env, located.file);
  const stored = readStored(located.dataDir);
  const resolved = resolveSettings({ pinned, stored: stored.values, defaults: machineDefaults(located) });
  return {
    rows: rowsOf(resolved),
    problems: [...(located.problem === undefined ? [] : [located.problem]), ...problems],
    warnings: [...warnings, ...stored.warnings, ...resolved.warnings],
  };
};

const rowsOf = ({ byPath }: ResolvedSettings): SettingRow[] =>
  settingEntries.flatMap(({ path, setting }) => {
    const now = byPath.get(path);
    return now === undefined
      ? []
      : [{ path, value: setting.secret ? secretMask : now.value, source: now.source }];
  });

const readStored = (dataDir: string): { values: Map<string, unknown>; warnings: string[] } => {
  const path = databaseFile(dataDir);
  if (!existsSync(path)) return { values: new Map(), warnings: [] };
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
    const rows = database.prepare('select path, value from settings').all();
    database.close();
    return {
      values: new Map(rows.map(({ path: key, value }) => [String(key), JSON.parse(String(value))])),
      warnings: [],
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { values: new Map(), warnings: [`The stored settings in ${path} cannot be read (${reason}).`] };
  }
};
