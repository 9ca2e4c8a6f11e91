// What can be done to the running service as a whole, beyond its settings and entities: it leaves no
// revision. The paths are those that existing clients know.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Done = Type.Object({ status: Type.Literal('success') });

const UpdatedList = Type.Object(
  {
    id: Type.Integer({ description: 'The list' }),
    status: Type.Integer({ description: 'As the field status of a list' }),
    number: Type.Integer({ description: 'Entries of the copy that is in force' }),
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
      'The reply is one JSON object that is written as the update goes: each entry of `progress` as it ' +
      'happens, on a line of its own, and `result` when all is fetched, compiled and in force. With ' +
      '`Accept: text/plain` it is lines of text instead. The update goes on when the caller hangs up; ' +
      'whoever asks while one is under way joins it, and sees its progress from the beginning. What ' +
      'cannot be fetched or compiled leaves what was in force before.',
    replies: {
      200: {
        description: 'What became of each list',
        isLive: true,
        body: Type.Object({
          progress: Type.Array(Type.String()),
          result: Type.Object({
            lists: Type.Array(UpdatedList),
            names: Type.Integer({ description: 'Names that are in force, of all lists' }),
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
      'A new process takes over the sockets, then the databases; no query is lost, and writes that come in ' +
      'between wait or get 503. The reply comes when the new process serves, or when the old one goes on ' +
      'because the new one could not.',
    replies: {
      200: { description: 'Another process serves now', body: Done, example: { status: 'success' } },
    },
    errors: ['restartFailed'],
  }),
  flushCache: endpoint({
    method: 'POST',
    path: '/api/action/flush/cache',
    topic: 'dns',
    access: 'session',
    summary: 'Forget answers that were kept',
    description: 'Without a name everything goes; with one, all types of that name and of no other.',
    body: Type.Object({
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: limits.domainTextLength, description: 'A domain name' }),
      ),
    }),
    bodyExample: { name: 'example.org' },
    optionalBody: true,
    replies: {
      200: { description: 'It is forgotten', body: Done, example: { status: 'success' } },
    },
    errors: [],
  }),
} as const;
