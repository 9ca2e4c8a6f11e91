// The tree of settings as a flat list of dotted paths, and as typed values. The tree is for people (files,
// API, documents), the flat list for code that treats all settings alike: reading sources, comparing,
// storing.

import type { Setting, SettingTree, SettingValue } from './declare.ts';

export type Values<T> =
  T extends Setting<infer V> ? V : { readonly [K in keyof T]: T[K] extends object ? Values<T[K]> : never };

export interface SettingEntry {
  readonly path: string;
  readonly setting: Setting;
}

export type SettingsTreeValue = { readonly [name: string]: SettingValue | SettingsTreeValue };

function isSetting(node: Setting | SettingTree): node is Setting {
  return typeof node['problem'] === 'function';
}

/** All leaves in the order of their declaration. */
export function flatten(tree: SettingTree, prefix = ''): readonly SettingEntry[] {
  return Object.entries(tree).flatMap(([name, node]) => {
    const path = `${prefix}${name}`;
    return isSetting(node) ? [{ path, setting: node }] : flatten(node, `${path}.`);
  });
}

/** `dns.blockTTL` is SLUICE_DNS_BLOCK_TTL: dots become `_`, camelCase is split. */
export function environmentName(path: string): string {
  return `SLUICE_${path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

/** Builds a nested object from values by dotted path. */
export function nest(entries: Iterable<readonly [path: string, value: unknown]>): SettingsTreeValue {
  const root: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    const names = path.split('.');
    const leaf = names.pop() ?? path;
    let node = root;
    // This loop created every inner node as a plain object.
    for (const name of names) node = (node[name] ??= {}) as Record<string, unknown>;
    node[leaf] = value;
  }
  // Leaves are setting values, and inner nodes were created above.
  return root as SettingsTreeValue;
}
