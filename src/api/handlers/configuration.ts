// Handlers of the settings. A change is checked as a whole before any of it is stored. New listening
// addresses are opened first, so that a successful reply means that they are open.

import {
  fail,
  settingEntries,
  settingTopics,
  type Failure,
  type SettingValue,
  type WriteFailure,
} from '#contract';
import { hashPassword, isPasswordHash } from '../auth/password-hash.ts';
import { actorOf, type Caller } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { elementPath, type LiveSettings, settingsView, type StoredSettings } from '#store/settings';
import { SerialQueue } from '#platform/tasks';

type Names = 'getConfig' | 'getConfigElement' | 'patchConfig' | 'putConfigItem' | 'deleteConfigItem';

export interface ConfigurationParts {
  readonly settings: LiveSettings;
  /** Opens the listener that a setting names. On failure nothing has changed, and it returns the reason. */
  readonly relisten: (path: string, text: string) => Promise<string | undefined>;
  /** Resolves when the dns workers apply the current settings. */
  readonly settled: () => Promise<void>;
}

const knownPaths = new Set(settingEntries.map(({ path }) => path));
const listeningPaths = new Set(
  settingEntries.filter(({ setting }) => setting.apply === 'listeners').map(({ path }) => path),
);

export function createConfigurationHandlers(parts: ConfigurationParts): Pick<Handlers, Names> {
  // One change at a time, so that no change stores anything between the read and the write of another.
  const queue = new SerialQueue();
  const view = (element: string, detailed = false) => {
    const config = settingsView(parts.settings.resolved, elementPath(element), detailed);
    return { status: 200 as const, body: detailed ? { config, topics: [...settingTopics] } : { config } };
  };
  return {
    getConfig: ({ query }) => view('', query.detailed),
    getConfigElement: ({ params, query }) => view(params.element, query.detailed),
    patchConfig: async ({ body, query, caller }) => {
      const { wanted, ignored } = flattenPatch(body.config);
      const stored = await queue.run(() => applyChanges(parts, caller, wanted));
      return 'failure' in stored ? stored : { ...view('', query.detailed), ignored };
    },
    putConfigItem: (request) => queue.run(() => putItem(parts, request)),
    deleteConfigItem: (request) => queue.run(() => deleteItem(parts, request)),
  };
}

async function putItem(parts: ConfigurationParts, { params, caller }: Request<'putConfigItem'>) {
  const found = findItem(parts.settings, params.element);
  if ('failure' in found) return found;
  if (found.items.includes(found.item)) return { status: 200 as const, body: {} };
  const stored = await applyChanges(parts, caller, new Map([[found.path, [...found.items, found.item]]]));
  return 'failure' in stored ? asItemFailure(stored) : { status: 201 as const, body: {} };
}

async function deleteItem(parts: ConfigurationParts, { params, caller }: Request<'deleteConfigItem'>) {
  const found = findItem(parts.settings, params.element);
  if ('failure' in found) return found;
  if (!found.items.includes(found.item)) return fail('notFound', params.element);
  const left = found.items.filter((item) => item !== found.item);
  const stored = await applyChanges(parts, caller, new Map([[found.path, left]]));
  return 'failure' in stored ? asItemFailure(stored) : { status: 204 as const };
}

type ApplyFailure = Failure<
  'settingInvalid' | 'settingRefused' | 'settingPinned' | 'requestFailed' | WriteFailure
>;

/** Stores all settings or none; new listeners are opened first. */
export async function applyChanges(
  { settings, relisten, settled }: ConfigurationParts,
  caller: Caller | undefined,
  wanted: ReadonlyMap<string, unknown>,
): Promise<ApplyFailure | StoredSettings> {
  const reviewed = settings.review(wanted);
  if ('failure' in reviewed) return reviewed;
  const changes = await withHashedPassword(reviewed);
  const moved: string[] = [];
  const moveBack = () =>
    Promise.all(moved.map((path) => relisten(path, String(settings.resolved.byPath.get(path)?.value))));
  for (const [path, value] of changes) {
    if (!listeningPaths.has(path)) continue;
    const problem = await relisten(path, String(value));
    if (problem !== undefined) {
      await moveBack();
      return fail('requestFailed', problem);
    }
    moved.push(path);
  }
  const stored = await settings.store(actorOf(caller), changes);
  if ('failure' in stored) await moveBack();
  else await settled();
  return stored;
}

/** A password is stored as a hash. An empty password, which means none, and a hash are stored unchanged. */
async function withHashedPassword(changes: Map<string, SettingValue>): Promise<Map<string, SettingValue>> {
  const password = changes.get('auth.password');
  if (typeof password !== 'string' || password === '' || isPasswordHash(password)) return changes;
  return new Map([...changes, ['auth.password', await hashPassword(password)]]);
}

/**
 * The leaves of a partial tree by their paths. Unknown settings are listed in `ignored`; sections that are
 * null are skipped.
 */
function flattenPatch(tree: object): { wanted: Map<string, unknown>; ignored: string[] } {
  const wanted = new Map<string, unknown>();
  const ignored: string[] = [];
  const walk = (node: object, prefix: string): void => {
    for (const [name, value] of Object.entries(node)) {
      const path = `${prefix}${name}`;
      if (knownPaths.has(path)) wanted.set(path, value);
      else if (typeof value === 'object' && value !== null && !Array.isArray(value)) walk(value, `${path}.`);
      else if (value !== null) ignored.push(`config.${path}`);
    }
  };
  walk(tree, '');
  return { wanted, ignored: ignored.slice(0, 32) };
}

interface Item {
  readonly path: string;
  readonly items: readonly string[];
  readonly item: string;
}

/**
 * Splits an element into a setting and an item: the setting is the longest prefix that is an array setting,
 * and the item is the rest, including slashes.
 */
function findItem(settings: LiveSettings, element: string): Item | Failure<'settingPathDepth' | 'notFound'> {
  const parts = element.split('/');
  if (parts.length < 2) return fail('settingPathDepth', 'Use, e.g., PUT /api/config/dns/upstreams/127.0.0.1');
  for (let depth = parts.length - 1; depth > 0; depth--) {
    const path = parts.slice(0, depth).join('.');
    const value = settings.resolved.byPath.get(path)?.value;
    if (Array.isArray(value))
      return { path, items: value, item: storedItem(path, parts.slice(depth).join('/')) };
  }
  return fail('notFound', `/api/config/${element}`);
}

/** As it is stored: a setting may remove blanks that do not count. */
function storedItem(path: string, text: string): string {
  const entry = settingEntries.find((one) => one.path === path);
  const normal = entry?.setting.normalise([text]);
  return Array.isArray(normal) && typeof normal[0] === 'string' ? normal[0] : text;
}

type ItemFailure = Failure<'settingItemRefused' | 'settingPinned' | WriteFailure>;

function asItemFailure({ failure, hint }: ApplyFailure): ItemFailure {
  switch (failure) {
    case 'settingPinned':
    case 'databaseAway':
    case 'tooManyRequests':
      return fail(failure, hint);
    case 'settingInvalid':
    case 'settingRefused':
    case 'requestFailed':
      return fail('settingItemRefused', hint);
  }
}
