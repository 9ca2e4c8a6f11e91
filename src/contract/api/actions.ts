// What can be done to the running service as a whole.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';

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
} as const;
