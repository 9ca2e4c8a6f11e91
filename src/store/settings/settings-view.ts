// The settings as the API shows them: a tree of values or of descriptions, complete or below one element.
// Secrets are always masked, even when they are empty.

import { nest, settingEntries, type Setting, type SettingsTreeValue } from '#contract';
import type { ResolvedSetting, ResolvedSettings } from './resolve.ts';
import { secretMask } from '../secret-mask.ts';

export function settingsView(
  resolved: ResolvedSettings,
  element: string,
  detailed: boolean,
): SettingsTreeValue {
  const wanted = settingEntries.filter(({ path }) => isWithin(path, element));
  return nest(
    wanted.flatMap(({ path, setting }) => {
      const now = resolved.byPath.get(path);
      return now === undefined
        ? []
        : [[path, detailed ? describe(setting, now) : shown(setting, now.value)] as const];
    }),
  );
}

/** `dns/blocking` and `dns.blocking` are the same element; an empty one is the whole tree. */
export const elementPath = (element: string): string => element.split(/[/.]/).filter(Boolean).join('.');

const isWithin = (path: string, element: string): boolean =>
  element === '' || path === element || path.startsWith(`${element}.`);

const shown = (setting: Setting, value: unknown): unknown => (setting.secret ? secretMask : value);

const describe = (setting: Setting, now: ResolvedSetting) => ({
  description: setting.help,
  allowed:
    setting.kind === 'choice'
      ? setting.choices.map((item) => ({ item, description: item }))
      : setting.allowed,
  type: typeNames[setting.kind],
  value: shown(setting, now.value),
  default: shown(setting, setting.default),
  modified: JSON.stringify(now.value) !== JSON.stringify(setting.default),
  source: now.source,
  flags: {
    restart_dnsmasq: setting.apply === 'restart',
    session_reset: setting.secret,
    env_var: now.source === 'environment' || now.source === 'file',
  },
});

const typeNames = {
  text: 'string',
  flag: 'boolean',
  whole: 'integer',
  texts: 'string array',
  choice: 'enum (string)',
} as const;
