// Every change: who, when, the state before and after; and undoing it.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const State = Type.Unknown({ description: 'The entity; null before a creation and after a deletion' });

const Revision = Type.Object(
  {
    id: Type.Integer(),
    at: Type.Number({ description: 'Unix time in seconds' }),
    actor: Type.String({ description: 'Who made the change' }),
    entity: Type.String({ description: 'The kind of entity' }),
    key: Type.String({ description: 'The key of the entity' }),
    before: State,
    after: State,
  },
  { title: 'Revision' },
);

const revision = {
  id: 42,
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
    description: `${limits.revisionDays} days or ${limits.revisionCount} changes are kept; without secrets.`,
    query: Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
      before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only changes with a smaller id' })),
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
  undoRevision: endpoint({
    method: 'POST',
    path: '/api/revisions/{id}:undo',
    topic: 'revisions',
    access: 'sudo',
    summary: 'Undo one change',
    description: 'Undoing is a change with its own revision. Refused when the entity has changed since.',
    params: Type.Object({ id: Type.Integer({ minimum: 1, examples: [42] }) }),
    replies: {
      200: { description: 'Undone', body: Type.Object({ revision: Revision }), example: { revision } },
    },
    errors: ['notFound', 'notUndoable', 'duplicate', 'settingPinned', 'requestFailed'],
  }),
} as const;
