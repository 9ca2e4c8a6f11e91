// Every change: who, when, the state before and after; and undoing it.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const RestorePoint = Type.Object(
  {
    summary: Type.String({ description: 'What was changed, for people' }),
    entities: Type.Record(Type.String(), Type.Integer(), {
      description: 'How many items of each kind were changed',
    }),
  },
  {
    description:
      `Only there when a change had more than ${limits.revisionsPerChange} items: this line stands for all ` +
      'of them, `entity` is their kind or `several`, and `key`, `before` and `after` are empty',
  },
);

const Version = Type.Integer({
  minimum: 1,
  description: 'The number of the change; all revisions of one change have the same',
  examples: [17],
});

const State = Type.Unknown({ description: 'The entity; null before a creation and after a deletion' });

const Revision = Type.Object(
  {
    id: Type.Integer(),
    version: Version,
    at: Type.Number({ description: 'Unix time in seconds' }),
    actor: Type.String({ description: 'Who made the change' }),
    entity: Type.String({ description: 'The kind of entity' }),
    key: Type.String({ description: 'The key of the entity' }),
    before: State,
    after: State,
    restore_point: Type.Optional(RestorePoint),
  },
  { title: 'Revision' },
);

const revision = {
  id: 42,
  version: 17,
  at: 1794700000.123,
  actor: 'session 1 from 192.0.2.5',
  entity: 'setting',
  key: 'dns.blockTTL',
  before: 2,
  after: 10,
};

export const revisionEndpoints = {
  getRevisions: endpoint({
    method: 'GET',
    path: '/api/revisions',
    topic: 'revisions',
    access: 'session',
    summary: 'List changes, newest first',
    description:
      `${limits.revisionDays} days or ${limits.revisionCount} lines are kept, by whole changes and without ` +
      `secrets. A change of more than ${limits.revisionsPerChange} items is one line with a restore point.`,
    query: Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
      before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only those with a smaller id' })),
      version: Type.Optional(Version),
    }),
    replies: {
      200: {
        description: 'Changes',
        body: Type.Object({ revisions: Type.Array(Revision) }),
        example: { revisions: [revision] },
      },
    },
    errors: [],
  }),
  undoChange: endpoint({
    method: 'POST',
    path: '/api/revisions/{version}:undo',
    topic: 'revisions',
    access: 'sudo',
    summary: 'Undo a whole change',
    description:
      'Reverts everything that the change did. The undo is a change too: undo it to redo the first. ' +
      'Refused when one of the items has changed since; the hint names it. Of large changes the newest ' +
      `${limits.restorePoints} can be undone.`,
    params: Type.Object({ version: Version }),
    replies: {
      200: {
        description: 'Undone',
        body: Type.Object({
          version: Type.Integer({ description: 'The number of the change that undid it' }),
          undone: Type.Integer({ description: 'The number of the change that was undone' }),
          summary: Type.String({ description: 'What was changed, for people' }),
        }),
        example: { version: 18, undone: 17, summary: '3 domains changed' },
      },
    },
    errors: ['notFound', 'notUndoable', 'settingPinned', 'requestFailed'],
  }),
} as const;
