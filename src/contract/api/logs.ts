// The newest lines of the log, as existing clients read them: three logs, each with the number at which the
// next request continues. Lines are kept in memory; older lines, from before the process started, are only in
// the log itself.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Line = Type.Object(
  {
    timestamp: Type.Number({ description: 'Unix time in seconds' }),
    message: Type.String({ description: `At most ${limits.logLineLength} characters` }),
    prio: Type.Union([Type.String(), Type.Null()], {
      description: 'ERROR, WARNING, INFO or DEBUG_…; null in the logs dnsmasq and webserver',
    }),
  },
  { title: 'LogLine' },
);

const common = {
  method: 'GET',
  topic: 'information',
  access: 'session',
  query: Type.Object({
    nextID: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The value of this name in the last reply: only newer lines are returned',
      }),
    ),
  }),
  replies: {
    200: {
      description: `The newest lines, the oldest first; ${limits.logLines} are kept`,
      body: Type.Object({
        log: Type.Array(Line),
        nextID: Type.Integer({ description: 'Send it with the next request' }),
        pid: Type.Integer({ description: 'If it differs, the service was restarted: begin again with 0' }),
        file: Type.String({ description: 'Where the log is written' }),
      }),
      example: {
        log: [{ timestamp: 1794700000.5, message: 'main: Starting version=0.1.0', prio: 'INFO' }],
        nextID: 1,
        pid: 4711,
        file: '/dev/stderr',
      },
    },
  },
  errors: [],
} as const;

export const logEndpoints = {
  getServiceLog: endpoint({
    ...common,
    path: '/api/logs/ftl',
    summary: 'Get the newest lines of the log',
    description: 'Everything that the service logs.',
  }),
  getDnsLog: endpoint({
    ...common,
    path: '/api/logs/dnsmasq',
    summary: 'Get the newest log lines of the dns workers',
    description:
      'For example upstreams that failed or recovered, and clients above the rate limit; no queries.',
  }),
  getWebLog: endpoint({
    ...common,
    path: '/api/logs/webserver',
    summary: 'Get the newest log lines of the web server thread',
    description: 'For example failed logins, certificates and faults; no requests.',
  }),
} as const;
