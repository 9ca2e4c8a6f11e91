// The value of every setting and its source, in this order of precedence: environment, file, database,
// default. The result is immutable and is built again at each change, so that a component that holds it sees
// one consistent state.

import { nest, settingEntries, type Settings, type SettingValue } from '#contract';
import type { Pinned } from './sources.ts';

export type SettingSource = 'environment' | 'file' | 'database' | 'default';

export interface ResolvedSetting {
  readonly value: SettingValue;
  readonly source: SettingSource;
}

export interface ResolvedSettings {
  readonly values: Settings;
  readonly byPath: ReadonlyMap<string, ResolvedSetting>;
  /** Stored values that this release cannot use and ignores. */
  readonly warnings: readonly string[];
}

export interface SettingLayers {
  readonly pinned: ReadonlyMap<string, Pinned>;
  readonly stored: ReadonlyMap<string, unknown>;
  /** Defaults that depend on the machine. */
  readonly defaults: ReadonlyMap<string, SettingValue>;
}

export function resolveSettings({ pinned, stored, defaults }: SettingLayers): ResolvedSettings {
  const warnings: string[] = [];
  const byPath = new Map<string, ResolvedSetting>();
  for (const { path, setting } of settingEntries) {
    const kept = stored.get(path);
    const problem = kept === undefined ? undefined : setting.problem(kept);
    if (problem !== undefined) warnings.push(`database: ${path}: ${problem}; the stored value is ignored.`);
    const usable =
      kept === undefined || problem !== undefined ? undefined : { value: kept, source: 'database' };
    const fallback = { value: defaults.get(path) ?? setting.default, source: 'default' };
    // Pinned values were checked when they were read, stored ones just now.
    byPath.set(path, (pinned.get(path) ?? usable ?? fallback) as ResolvedSetting);
  }
  // The tree of values has exactly the paths of the declarations, each with a checked value.
  const values = nest([...byPath].map(([path, { value }]) => [path, value])) as unknown as Settings;
  return { values, byPath, warnings };
}
