// What can be done to the running service as a whole, beyond its settings and entities: it leaves no
// revision. The paths are those that existing clients know.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Done = Type.Object({ status: Type.Literal('success') });

export const actionEndpoints = {
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
