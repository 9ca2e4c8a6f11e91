// The settings as the command line shows them without a running service: problems in the environment and the
// settings file, and the value of every setting. Stored values are read from the database file.

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
import { errorText } from '#platform/tasks';

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

export function readSettingsOffline(located: Located, env: Environment): OfflineSettings {
  const { pinned, problems, warnings } = readSources(env, located.file);
  const stored = readStored(located.dataDir);
  const resolved = resolveSettings({ pinned, stored: stored.values, defaults: machineDefaults(located) });
  return {
    rows: rowsOf(resolved),
    problems: [...(located.problem === undefined ? [] : [located.problem]), ...problems],
    warnings: [...warnings, ...stored.warnings, ...resolved.warnings],
  };
}

function rowsOf({ byPath }: ResolvedSettings): SettingRow[] {
  return settingEntries.flatMap(({ path, setting }) => {
    const now = byPath.get(path);
    return now === undefined
      ? []
      : [{ path, value: setting.secret ? secretMask : now.value, source: now.source }];
  });
}

function readStored(dataDir: string): { values: Map<string, unknown>; warnings: string[] } {
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
    const reason = errorText(error);
    return { values: new Map(), warnings: [`The stored settings in ${path} cannot be read (${reason}).`] };
  }
}
