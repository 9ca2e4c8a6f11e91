// The settings while the service runs. Other components read `current` each time or subscribe to changes;
// each state is one immutable object. Changes go through `change` of the storage and are all or nothing.

import {
  fail,
  settingEntries,
  type Failure,
  type Settings,
  type SettingValue,
  type WriteFailure,
} from '#contract';
import { writeFailure } from '../database/write-failure.ts';
import type { Actor, Change } from '../database/change.ts';
import { storeSetting } from '../database/stored-settings.ts';
import { resolveSettings, type ResolvedSettings, type SettingLayers } from './resolve.ts';
import { secretMask } from '../secret-mask.ts';

export interface StoredSettings {
  /** The number of the change; undefined when there was nothing to store. */
  readonly version: number | undefined;
}

type ChangeListener = (changed: ReadonlySet<string>) => void;

const byPath = new Map(settingEntries.map((entry) => [entry.path, entry.setting]));

export class LiveSettings {
  readonly #layers: SettingLayers;
  readonly #stored: Map<string, unknown>;
  readonly #change: Change;
  readonly #listeners: ChangeListener[] = [];
  #resolved: ResolvedSettings;

  constructor(layers: SettingLayers, change: Change) {
    this.#stored = new Map(layers.stored);
    this.#layers = { ...layers, stored: this.#stored };
    this.#change = change;
    this.#resolved = resolveSettings(this.#layers);
  }

  get current(): Settings {
    return this.#resolved.values;
  }

  get resolved(): ResolvedSettings {
    return this.#resolved;
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Returns the values that differ from the current ones; a failure when one is pinned or not allowed. */
  review(wanted: ReadonlyMap<string, unknown>): Map<string, SettingValue> | SettingFailure {
    const changes = new Map<string, SettingValue>();
    for (const [path, raw] of wanted) {
      const reviewed = this.#reviewOne(path, raw);
      if (isFailure(reviewed)) return reviewed;
      if (reviewed !== undefined) changes.set(path, reviewed.value);
    }
    return changes;
  }

  /** Stores values that `review` has returned. */
  async store(
    actor: Actor,
    changes: ReadonlyMap<string, SettingValue>,
  ): Promise<Failure<WriteFailure> | StoredSettings> {
    if (changes.size === 0) return { version: undefined };
    const outcome = await this.#change(actor, async (scope) => {
      for (const [path, value] of changes)
        await storeSetting(scope, path, this.#resolved.byPath.get(path)?.value, value);
    });
    if (!outcome.ok) return writeFailure(outcome);
    for (const [path, value] of changes) this.#stored.set(path, value);
    this.#resolved = resolveSettings(this.#layers);
    const changed = new Set(changes.keys());
    for (const listener of this.#listeners) listener(changed);
    return { version: outcome.version };
  }

  #reviewOne(path: string, raw: unknown): { readonly value: SettingValue } | SettingFailure | undefined {
    const setting = byPath.get(path);
    const now = this.#resolved.byPath.get(path);
    if (setting === undefined || now === undefined) return undefined;
    const value = setting.normalise(raw);
    if (setting.secret && value === secretMask) return undefined;
    const problem = setting.problem(value);
    if (problem !== undefined) return refusal(path, problem, setting.allowed, isKindProblem(problem));
    if (JSON.stringify(value) === JSON.stringify(now.value)) return undefined;
    if (this.#layers.pinned.has(path)) return fail('settingPinned', `${path} is set by the ${now.source}`);
    if (setting.early)
      return fail('settingPinned', `${path} can only be set by the environment or the settings file`);
    // `problem` has found nothing wrong, so the value is of the setting's kind.
    return { value: value as SettingValue };
  }
}

export type SettingFailure = Failure<'settingInvalid' | 'settingRefused' | 'settingPinned'>;

const isFailure = (value: object | undefined): value is SettingFailure =>
  value !== undefined && 'failure' in value;

/** Whether the value has the wrong type; otherwise only the value is wrong. */
const isKindProblem = (problem: string): boolean =>
  problem.startsWith('not of type') || ['invalid option', 'array has invalid elements'].includes(problem);

function refusal(path: string, problem: string, allowed: string, isKind: boolean): SettingFailure {
  const reason = problem.startsWith('[') ? `${path}${problem}` : `${path}: ${problem}`;
  return fail(isKind ? 'settingInvalid' : 'settingRefused', `${reason}. Allowed: ${allowed}.`);
}
