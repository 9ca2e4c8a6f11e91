// Reads settings from the environment and from the file. Both pin: what they set, the API cannot change. A
// mistake in either is a problem that keeps the service from starting, because a service that starts on
// silent defaults does something else than what was asked for; an unknown variable is only a warning, because
// environments are shared.

import { nearest, environmentName, settingEntries, type SettingEntry, type SettingValue } from '#contract';

type PinningSource = 'environment' | 'file';

export interface Pinned {
  readonly value: SettingValue;
  readonly source: PinningSource;
}

export interface PinnedSettings {
  readonly pinned: ReadonlyMap<string, Pinned>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that are ours and no settings. */
const otherVariables = ['SLUICE_CONFIG', 'SLUICE_TEST_LISTS', 'SLUICE_INHERITANCE'];
const byPath = new Map(settingEntries.map((entry) => [entry.path, entry]));
const byVariable = new Map(settingEntries.map((entry) => [environmentName(entry.path), entry]));

export const readSources = (env: Environment, file: Readonly<Record<string, unknown>>): PinnedSettings => {
  const fromFile = readFile(file);
  const fromEnvironment = readEnvironment(env);
  return {
    pinned: new Map([...fromFile.pinned, ...fromEnvironment.pinned]),
    problems: [...fromFile.problems, ...fromEnvironment.problems],
    warnings: fromEnvironment.warnings,
  };
};

const readEnvironment = (env: Environment): PinnedSettings => {
  const reading = startReading('environment');
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('SLUICE_') || text === undefined || otherVariables.includes(variable)) continue;
    const entry = byVariable.get(variable);
    if (entry === undefined) warnings.push(unknownVariable(variable));
    else reading.take(entry, fromText(entry, text), `${variable}=${shown(entry, text)}`);
  }
  return { ...reading.result, warnings };
};

const readFile = (file: Readonly<Record<string, unknown>>): PinnedSettings => {
  const reading = startReading('file');
  const walk = (node: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(node)) {
      const path = `${prefix}${name}`;
      const entry = byPath.get(path);
      if (entry !== undefined) reading.take(entry, value, `${path} = ${shown(entry, JSON.stringify(value))}`);
      else if (isTable(value) && isTopic(path)) walk(value, `${path}.`);
      else reading.problems.push(unknownKey(path));
    }
  };
  walk(file, '');
  return { ...reading.result, warnings: [] };
};

const startReading = (source: PinningSource) => {
  const pinned = new Map<string, Pinned>();
  const problems: string[] = [];
  const take = ({ path, setting }: SettingEntry, raw: unknown, where: string): void => {
    const value = setting.normalise(raw);
    const problem = setting.problem(value);
    if (problem === undefined) {
      // `problem` has found nothing wrong, so the value is of the setting's kind.
      pinned.set(path, { value: value as SettingValue, source });
    } else {
      const place = source === 'file' ? 'settings file' : 'environment';
      problems.push(`${place}: ${where}: ${problem}. Allowed: ${setting.allowed}.`);
    }
  };
  return { take, problems, result: { pinned, problems } };
};

/** A variable's text as a value of the setting's kind; what is none is left for the check to refuse. */
const fromText = ({ setting }: SettingEntry, text: string): unknown => {
  switch (setting.kind) {
    case 'flag':
      return flags.get(text.toLowerCase()) ?? text;
    case 'whole':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'texts':
      return listFromText(text);
    case 'text':
    case 'choice':
      return text;
  }
};

const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const listFromText = (text: string): unknown => {
  if (text === '') return [];
  if (!text.startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const shown = ({ setting }: SettingEntry, text: string): string => (setting.secret ? '********' : text);

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const isTopic = (path: string): boolean => settingEntries.some((entry) => entry.path.startsWith(`${path}.`));

const unknownKey = (path: string): string =>
  `settings file: ${path} is not a setting. ${suggestion(path, byPath)}docs/settings.md lists them all.`;

const unknownVariable = (variable: string): string =>
  `environment: ${variable} is not a setting and was ignored. ${suggestion(variable, byVariable)}`.trim();

const suggestion = (mistyped: string, known: ReadonlyMap<string, unknown>): string => {
  const name = nearest(mistyped, known.keys());
  return name === undefined ? '' : `Did you mean ${name}? `;
};
