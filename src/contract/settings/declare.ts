// Functions that declare settings. A setting is one leaf of a tree: its kind, its default, a help text, when
// a change takes effect, and its allowed values. Everything else about settings (the parser of the file,
// environment variables, the API, the generated reference, the web forms) is derived from these declarations,
// so a new setting is one entry in one file. Values are checked by plain functions rather than by compiled
// schemas: there are few of them, each message has to name the key, the value and the allowed values, and
// this room runs in a browser.

import { limits } from '../limits.ts';

type Apply = 'live' | 'listeners' | 'restart';
type SettingKind = 'text' | 'flag' | 'whole' | 'texts' | 'choice';
export type SettingValue = string | boolean | number | readonly string[];

/** The problem of a value of the right kind; undefined when it is valid. */
export type Check<T> = (value: T) => string | undefined;

export interface Setting<T extends SettingValue = SettingValue> {
  readonly kind: SettingKind;
  readonly default: T;
  readonly help: string;
  /** The allowed values, as the end of the sentence "… is not allowed here; allowed: …". */
  readonly allowed: string;
  readonly apply: Apply;
  /** Never shown, logged or recorded. */
  readonly secret: boolean;
  /** Belongs to one node of an installation; all others belong to the whole installation. */
  readonly local: boolean;
  /** Needed before the database is open, so only environment and file can set it. */
  readonly early: boolean;
  readonly choices: readonly string[];
  readonly range: readonly [min: number, max: number];
  /** The stored form of a value: choices in their declared case, entries without extra blanks. */
  readonly normalise: (value: unknown) => unknown;
  /** The problem of a value, without key and value; undefined when it is valid. */
  readonly problem: (value: unknown) => string | undefined;
}

export interface SettingTree {
  readonly [name: string]: Setting | SettingTree;
}

interface Common<T> {
  readonly default: T;
  readonly help: string;
  readonly apply?: Apply;
  readonly secret?: boolean;
  readonly local?: boolean;
  readonly early?: boolean;
}

function common<T>(from: Common<T>) {
  return {
    default: from.default,
    help: from.help,
    apply: from.apply ?? ('live' as const),
    secret: from.secret ?? false,
    local: from.local ?? false,
    early: from.early ?? false,
    choices: [],
    range: [0, 0] as const,
    normalise: (value: unknown) => value,
  };
}

function textProblem(value: unknown): value is never {
  return typeof value !== 'string' || value.length > limits.settingLength;
}

export function flag(from: Common<boolean>): Setting<boolean> {
  return {
    ...common(from),
    kind: 'flag',
    allowed: 'true or false',
    problem: (value) => (typeof value === 'boolean' ? undefined : 'not of type bool'),
  };
}

export function whole(from: Common<number> & { range: readonly [number, number] }): Setting<number> {
  return {
    ...common(from),
    kind: 'whole',
    range: from.range,
    allowed: `a whole number from ${from.range[0]} to ${from.range[1]}`,
    problem: (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value)) return 'not of type integer';
      return value < from.range[0] || value > from.range[1] ? 'not within valid range' : undefined;
    },
  };
}

export function text(from: Common<string> & { allowed: string; check?: Check<string> }): Setting<string> {
  return {
    ...common(from),
    kind: 'text',
    allowed: from.allowed,
    problem: (value) => {
      if (typeof value !== 'string') return 'not of type string';
      if (textProblem(value)) return `longer than ${limits.settingLength} characters`;
      return from.check?.(value);
    },
  };
}

export function choice<const C extends readonly string[]>(
  from: Common<C[number]> & { choices: C },
): Setting<C[number]> {
  return {
    ...common(from),
    kind: 'choice',
    choices: from.choices,
    normalise: (value) =>
      from.choices.find((name) => name.toLowerCase() === String(value).toLowerCase()) ?? value,
    allowed: `one of ${from.choices.join(', ')}`,
    problem: (value) => {
      if (typeof value !== 'string') return 'not of type string';
      return from.choices.includes(value) ? undefined : 'invalid option';
    },
  };
}

export function texts(
  from: Common<readonly string[]> & { allowed: string; check?: Check<string> },
): Setting<readonly string[]> {
  return {
    ...common(from),
    kind: 'texts',
    allowed: from.allowed,
    normalise: (value) => (Array.isArray(value) ? value.map(withoutStrayBlanks) : value),
    problem: (value) => {
      if (!Array.isArray(value)) return 'not of type array';
      if (value.length > limits.settingEntries) return `more than ${limits.settingEntries} entries`;
      return firstProblem(value, from.check);
    },
  };
}

function withoutStrayBlanks(entry: unknown): unknown {
  return typeof entry === 'string' ? entry.trim().replaceAll(/[ \t]+/g, ' ') : entry;
}

function firstProblem(entries: readonly unknown[], check: Check<string> | undefined): string | undefined {
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== 'string' || textProblem(entry)) return 'array has invalid elements';
    const problem = check?.(entry);
    if (problem !== undefined) return `[${index}]: ${problem} ("${entry}")`;
  }
  return undefined;
}
