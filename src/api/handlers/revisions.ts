// Handlers of the revisions: the list of changes, and the undo of a whole change.

import { fail, limits, type Failure, type WriteFailure } from '#contract';
import { actorOf, type Caller } from '../auth/caller.ts';
import type { Handlers } from '../http/handler.ts';
import {
  type Change,
  countEntities,
  type ItemsOfChange,
  type ReadModel,
  type RevisedItem,
  type Revisions,
  summaryOf,
  writeFailure,
} from '#store/database';
import type { LiveSettings, StoredSettings } from '#store/settings';
import { secretMask } from '#store';
import { changedSince, undoItems } from './undo.ts';

export interface RevisionParts {
  readonly revisions: Revisions;
  readonly change: Change;
  readonly read: ReadModel;
  readonly settings: LiveSettings;
  /** Stores settings as the API does, including listeners. */
  readonly applySettings: (
    caller: Caller | undefined,
    wanted: ReadonlyMap<string, unknown>,
  ) => Promise<Failure | StoredSettings>;
  /** Ends the sessions of a deleted application password. */
  readonly endAppSessions: (appId: number) => Promise<void>;
}

const defaultCount = 100;

type UndoRefused = Failure<'notUndoable' | 'settingPinned' | 'requestFailed' | WriteFailure>;

/** The version of the undo, which is a change too. */
type Undone = { readonly version: number | undefined } | UndoRefused;

export function createRevisionHandlers(parts: RevisionParts): Pick<Handlers, 'getRevisions' | 'undoChange'> {
  return {
    getRevisions: async ({ query }) => {
      const revisions = await parts.revisions.list(query.count ?? defaultCount, query);
      return { status: 200, body: { revisions } };
    },
    undoChange: async ({ params, caller }) => {
      const all = await parts.revisions.itemsOf(params.version);
      if (all.state === 'missing') return fail('notFound', `There is no change ${params.version}.`);
      if (all.state !== 'found') return notUndoable(all.state);
      const undone = await undoAll(parts, caller, all.items);
      if ('failure' in undone) return undone;
      if (undone.version === undefined) return fail('notUndoable', 'There is nothing left to undo.');
      const summary = summaryOf(countEntities(all.items));
      return { status: 200, body: { version: undone.version, undone: params.version, summary } };
    },
  };
}

const megabytes = limits.restorePointBytes / 1_048_576;

const reasons: Readonly<Record<Exclude<ItemsOfChange['state'], 'found'>, string>> = {
  missing: 'Its restore point no longer exists.',
  'not kept':
    `Its restore point was not kept: only the newest ${limits.restorePoints} are kept, ` +
    `and none of more than ${megabytes} MiB.`,
  damaged: 'Its restore point cannot be read: it is damaged.',
};

function notUndoable(state: keyof typeof reasons): Failure<'notUndoable'> {
  return fail('notUndoable', reasons[state]);
}

function isSetting({ entity }: RevisedItem): boolean {
  return entity === 'setting';
}

/** Settings and entities are stored in different ways, and no change contains both. */
async function undoAll(
  parts: RevisionParts,
  caller: Caller | undefined,
  items: readonly RevisedItem[],
): Promise<Undone> {
  return items.every(isSetting) ? undoSettings(parts, caller, items) : undoEntities(parts, caller, items);
}

async function undoEntities(
  { change, read, endAppSessions }: RevisionParts,
  caller: Caller | undefined,
  items: readonly RevisedItem[],
): Promise<Undone> {
  const outcome = await change(actorOf(caller), (scope) => undoItems(scope, items, read));
  if (!outcome.ok) return writeFailure(outcome);
  if (outcome.value !== undefined) return outcome.value;
  // Only the creation of an application password can be undone, and the undo deletes it.
  for (const { entity, key } of items) if (entity === 'app') await endAppSessions(Number(key));
  return outcome;
}

async function undoSettings(
  { settings, applySettings }: RevisionParts,
  caller: Caller | undefined,
  items: readonly RevisedItem[],
): Promise<Undone> {
  for (const item of items) {
    if (item.after === secretMask) return fail('notUndoable', 'The old value of a secret is not kept.');
    const now = settings.resolved.byPath.get(item.key)?.value;
    if (JSON.stringify(now) !== JSON.stringify(item.after)) return changedSince(item);
  }
  const outcome = await applySettings(caller, new Map(items.map(({ key, before }) => [key, before])));
  if (!('failure' in outcome)) return outcome;
  const { failure: name, hint } = outcome;
  if (name === 'databaseAway' || name === 'tooManyRequests' || name === 'settingPinned')
    return fail(name, hint);
  return fail('requestFailed', hint);
}
