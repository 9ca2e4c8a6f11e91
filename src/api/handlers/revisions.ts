// Handlers of the revisions: the list of changes, and the undoing of one.

import { fail, type Failure, type WriteFailure } from '#contract';
import { actorOf, type Caller } from '../auth/caller.ts';
import type { Handlers } from '../http/handler.ts';
import { type Change, type ReadModel, type Revision, type Revisions, writeFailure } from '#store/database';
import type { LiveSettings } from '#store/settings';
import { secretMask } from '#store';
import { undoers } from './undo.ts';

export interface RevisionParts {
  readonly revisions: Revisions;
  readonly change: Change;
  readonly read: ReadModel;
  readonly settings: LiveSettings;
  /** Stores settings as the API does, listeners and all. */
  readonly applySettings: (
    caller: Caller | undefined,
    wanted: ReadonlyMap<string, unknown>,
  ) => Promise<Failure | undefined>;
  /** Ends the sessions of an application password that is gone. */
  readonly endAppSessions: (appId: number) => Promise<void>;
}

const countByDefault = 100;

type UndoRefused = Failure<'notUndoable' | 'duplicate' | 'settingPinned' | 'requestFailed' | WriteFailure>;

export const createRevisionHandlers = (
  parts: RevisionParts,
): Pick<Handlers, 'getRevisions' | 'undoRevision'> => ({
  getRevisions: async ({ query }) => {
    const revisions = await parts.revisions.list(query.count ?? countByDefault, query.before);
    return { status: 200, body: { revisions } };
  },
  undoRevision: async ({ params, caller }) => {
    const revision = await parts.revisions.get(params.id);
    if (revision === undefined) return fail('notFound', `There is no revision ${params.id}.`);
    const refused = await (revision.entity === 'setting'
      ? undoSetting(parts, caller, revision)
      : undoEntity(parts, caller, revision));
    if (refused !== undefined) return refused;
    const [made] = await parts.revisions.list(1, undefined);
    return { status: 200, body: { revision: made ?? revision } };
  },
});

const undoEntity = async (
  { change, read, endAppSessions }: RevisionParts,
  caller: Caller | undefined,
  revision: Revision,
): Promise<UndoRefused | undefined> => {
  const undo = undoers.get(revision.entity);
  if (undo === undefined) return fail('notUndoable', `Changes of ${revision.entity} cannot be undone.`);
  const outcome = await change(actorOf(caller), (scope) => undo(scope, revision, read));
  if (!outcome.ok) return writeFailure(outcome);
  // Only the creation of one can be undone, and that removes it.
  if (revision.entity === 'app' && outcome.value === undefined) await endAppSessions(Number(revision.key));
  return outcome.value;
};

const undoSetting = async (
  { settings, applySettings }: RevisionParts,
  caller: Caller | undefined,
  { key, before, after }: Revision,
): Promise<UndoRefused | undefined> => {
  if (after === secretMask) return fail('notUndoable', 'The old value of a secret is not kept.');
  const now = settings.resolved.byPath.get(key)?.value;
  if (JSON.stringify(now) !== JSON.stringify(after))
    return fail('notUndoable', 'It has been changed again since.');
  const failure = await applySettings(caller, new Map([[key, before]]));
  if (failure === undefined) return undefined;
  const { failure: name, hint } = failure;
  if (name === 'databaseAway' || name === 'tooManyRequests' || name === 'settingPinned')
    return fail(name, hint);
  return fail('requestFailed', hint);
};
