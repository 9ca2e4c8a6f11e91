// Diagnosis messages: situations that a person should know of. Each goes away by itself when its situation
// does, and may be deleted before. Fields are those that existing clients know.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Message = Type.Object(
  {
    id: Type.Integer(),
    timestamp: Type.Number({ description: 'Unix time in seconds' }),
    type: Type.String({
      description: 'What it is about; LIST: a subscribed list, DISK: what cannot be written',
    }),
    plain: Type.String({ description: 'As text' }),
    html: Type.String({ description: 'The same for a page' }),
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
    description: `Kept are ${limits.messages}; the same situation is told once.`,
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
    description: 'What is no id is passed over. A situation that goes on may be told again.',
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
