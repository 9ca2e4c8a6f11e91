// Diagnosis messages: situations that the user should know about. Each is removed when its situation ends,
// and may be deleted before. Existing clients know the fields.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Message = Type.Object(
  {
    id: Type.Integer(),
    timestamp: Type.Number({ description: 'Unix time in seconds' }),
    type: Type.String({
      description:
        'The subject; LIST: a subscribed list, DISK: files that cannot be written, CLIENT: clients that no ' +
        'group protects',
    }),
    plain: Type.String({ description: 'As text' }),
    html: Type.String({ description: 'As HTML' }),
  },
  { title: 'Message' },
);

const text = 'List 2 (https://lists.example/hosts): the list is not there any more (404).';
const common = { topic: 'information', access: 'session' } as const;

export const messageEndpoints = {
  getMessages: endpoint({
    ...common,
    method: 'GET',
    path: '/api/info/messages',
    summary: 'List diagnosis messages, newest last',
    description: `At most ${limits.messages} are kept; the same situation is reported once.`,
    replies: {
      200: {
        description: 'The messages',
        body: Type.Object({ messages: Type.Array(Message) }),
        example: { messages: [{ id: 1, timestamp: 1794700000.5, type: 'LIST', plain: text, html: text }] },
      },
    },
    errors: [],
  }),
  countMessages: endpoint({
    ...common,
    method: 'GET',
    path: '/api/info/messages/count',
    summary: 'Count diagnosis messages',
    replies: {
      200: {
        description: 'How many there are',
        body: Type.Object({ count: Type.Integer() }),
        example: { count: 1 },
      },
    },
    errors: [],
  }),
  deleteMessages: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/info/messages/{ids}',
    summary: 'Delete diagnosis messages',
    description: 'Texts that are not ids are ignored. A situation that continues may be reported again.',
    params: Type.Object({
      ids: Type.String({
        minLength: 1,
        maxLength: limits.urlLength,
        description: 'One id or several, separated by commas',
        examples: ['1,2'],
      }),
    }),
    replies: { 204: { description: 'At least one was deleted', body: null } },
    errors: ['notFound'],
  }),
} as const;
