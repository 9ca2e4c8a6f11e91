// Reads settings from the environment and from the file. Both pin a setting: the API cannot change it. A
// mistake in either prevents the start, because a service that silently uses a default does not do what its
// user configured. An unknown variable is only a warning, because programs share environments.

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

/** Variables of this program that are not settings. */
const otherVariables = ['SLUICE_CONFIG', 'SLUICE_TEST_LISTS', 'SLUICE_INHERITANCE'];
const byPath = new Map(settingEntries.map((entry) => [entry.path, entry]));
const byVariable = new Map(settingEntries.map((entry) => [environmentName(entry.path), entry]));

export function readSources(env: Environment, file: Readonly<Record<string, unknown>>): PinnedSettings {
  const fromFile = readFile(file);
  const fromEnvironment = readEnvironment(env);
  return {
    pinned: new Map([...fromFile.pinned, ...fromEnvironment.pinned]),
    problems: [...fromFile.problems, ...fromEnvironment.problems],
    warnings: fromEnvironment.warnings,
  };
}

function readEnvironment(env: Environment): PinnedSettings {
  const reading = startReading('environment');
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('SLUICE_') || text === undefined || otherVariables.includes(variable)) continue;
    const entry = byVariable.get(variable);
    if (entry === undefined) warnings.push(unknownVariable(variable));
    else reading.add(entry, fromText(entry, text), `${variable}=${shown(entry, text)}`);
  }
  return { ...reading.result, warnings };
}

function readFile(file: Readonly<Record<string, unknown>>): PinnedSettings {
  const reading = startReading('file');
  const walk = (node: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(node)) {
      const path = `${prefix}${name}`;
      const entry = byPath.get(path);
      if (entry !== undefined) reading.add(entry, value, `${path} = ${shown(entry, JSON.stringify(value))}`);
      else if (isTable(value) && isTopic(path)) walk(value, `${path}.`);
      else reading.problems.push(unknownKey(path));
    }
  };
  walk(file, '');
  return { ...reading.result, warnings: [] };
}

function startReading(source: PinningSource) {
  const pinned = new Map<string, Pinned>();
  const problems: string[] = [];
  const add = ({ path, setting }: SettingEntry, raw: unknown, where: string): void => {
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
  return { add, problems, result: { pinned, problems } };
}

/**
 * Converts a text to the kind of the setting. A text that cannot be converted is refused by the check later.
 */
function fromText({ setting }: SettingEntry, text: string): unknown {
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
}

const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function listFromText(text: string): unknown {
  if (text === '') return [];
  if (!text.startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const shown = ({ setting }: SettingEntry, text: string): string => (setting.secret ? '********' : text);

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const isTopic = (path: string): boolean => settingEntries.some((entry) => entry.path.startsWith(`${path}.`));

const unknownKey = (path: string): string =>
  `settings file: ${path} is not a setting. ${suggestion(path, byPath)}docs/settings.md lists them all.`;

const unknownVariable = (variable: string): string =>
  `environment: ${variable} is not a setting and was ignored. ${suggestion(variable, byVariable)}`.trim();

function suggestion(mistyped: string, known: ReadonlyMap<string, unknown>): string {
  const name = nearest(mistyped, known.keys());
  return name === undefined ? '' : `Did you mean ${name}? `;
}
