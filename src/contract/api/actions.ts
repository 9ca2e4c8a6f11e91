// Actions on the running service as a whole, which change no settings or entities and create no revision.
// Existing clients know the paths.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Done = Type.Object({ status: Type.Literal('success') });

const UpdatedList = Type.Object(
  {
    id: Type.Integer({ description: 'The list' }),
    status: Type.Integer({ description: 'Like the field status of a list' }),
    number: Type.Integer({ description: 'Entries of the copy in force' }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it could not be fetched' }),
  },
  { title: 'UpdatedList' },
);

export const actionEndpoints = {
  updateLists: endpoint({
    method: 'POST',
    path: '/api/action/gravity',
    topic: 'lists',
    access: 'session',
    summary: 'Fetch all lists and put them in force',
    description:
      'The reply is one JSON object that is written during the update: each entry of `progress` as it ' +
      'happens, on its own line, and `result` when everything is fetched, compiled and in force. With ' +
      '`Accept: text/plain` it is lines of text instead. The update continues when the caller ' +
      'disconnects; a request during an update joins it and gets its progress from the beginning. If a ' +
      'list cannot be fetched or compiled, its previous copy stays in force.',
    replies: {
      200: {
        description: 'The result for each list',
        isLive: true,
        body: Type.Object({
          progress: Type.Array(Type.String()),
          result: Type.Object({
            lists: Type.Array(UpdatedList),
            names: Type.Integer({ description: 'Names in force, of all lists' }),
            problem: Type.Union([Type.String(), Type.Null()], { description: 'Why nothing new is in force' }),
          }),
        }),
        example: {
          progress: ['List 1: fetching https://lists.example/hosts', 'List 1: downloaded, 1000 entries'],
          result: { lists: [{ id: 1, status: 1, number: 1000, problem: null }], names: 1000, problem: null },
        },
      },
    },
    errors: ['collectionUnreadable'],
  }),
  restartDns: endpoint({
    method: 'POST',
    path: '/api/action/restartdns',
    topic: 'service',
    access: 'sudo',
    summary: 'Restart the service',
    description:
      'A new process takes over the sockets, then the databases; no query is lost, and writes in between ' +
      'wait or get 503. The reply is sent when the new process serves, or when the old one continues ' +
      'because the new one failed.',
    replies: {
      200: { description: 'The new process serves now', body: Done, example: { status: 'success' } },
    },
    errors: ['restartFailed'],
  }),
  flushCache: endpoint({
    method: 'POST',
    path: '/api/action/flush/cache',
    topic: 'dns',
    access: 'session',
    summary: 'Clear the DNS cache',
    description: 'Without a name all cached answers are removed; with one, all types of that name only.',
    body: Type.Object({
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: limits.domainTextLength, description: 'A domain name' }),
      ),
    }),
    bodyExample: { name: 'example.org' },
    optionalBody: true,
    replies: {
      200: { description: 'The answers are removed', body: Done, example: { status: 'success' } },
    },
    errors: [],
  }),
} as const;
