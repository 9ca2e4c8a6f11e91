// Endpoints about the service itself: its health, its state, its endpoints, and its documentation.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { healthParts, type HealthPart } from '../health-parts.ts';

function Nullable<T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

const Thread = Type.Object(
  {
    name: Type.String({ description: 'What the thread does' }),
    state: Type.Enum(['idle', 'starting', 'running', 'waiting', 'stopping'], {
      description: 'idle: not started, because it is not needed yet; waiting: between two starts',
    }),
    restarts: Type.Integer({ description: 'How often it was replaced since the program started' }),
    last_failure: Nullable(Type.String({ description: 'Why it was last replaced' })),
  },
  { title: 'Thread' },
);

const Listener = Type.Object(
  {
    setting: Type.String({ description: 'The setting with this address' }),
    address: Type.String({ description: 'The address, or * for all' }),
    port: Type.Integer({ description: 'The real port, also if the setting has 0' }),
    problem: Nullable(Type.String({ description: 'Why it is not open, and what to do' })),
  },
  { title: 'Listener' },
);

function Count(description: string) {
  return Type.Integer({ description });
}

const Dns = Type.Object(
  {
    queries: Count('Queries that were answered and recorded, since the program started'),
    cached: Count('Of these, from the cache'),
    forwarded: Count('Of these, by an upstream'),
    local: Count('Of these, from local records and special names'),
    blocked: Count('Of these, blocked'),
    failed: Count('Of these, failed'),
    refused: Count('Not recorded: clients of other networks, or above the rate limit'),
    malformed: Count('Not recorded: packets that could not be parsed'),
  },
  { title: 'DnsCounts' },
);

// Object.keys returns strings; these are exactly the declared keys.
const partNames = Object.keys(healthParts) as HealthPart[];

const Problem = Type.Object(
  {
    part: Type.Enum(partNames, { description: 'Which part of the service' }),
    reason: Type.String({
      description: 'The problem and what to do; without a credential only its effect',
    }),
    since: Type.Integer({ description: 'When it began, as Unix time in seconds' }),
  },
  { title: 'HealthProblem' },
);

const Degraded = Type.Array(Problem, { description: 'Parts that are degraded' });

const deadUpstreams = {
  part: 'upstreams',
  reason: 'No upstream answers (9.9.9.9). Check that this machine reaches them, or set others.',
  since: 1794700000,
} as const;

const Status = Type.Object(
  {
    state: Type.Enum(['running', 'stopping']),
    health: Type.Enum(['ok', 'degraded', 'failing'], { description: 'failing: /api/health answers 503' }),
    degraded: Type.Array(Problem, {
      description: 'Parts that are degraded or failing, the oldest problem first',
    }),
    version: Type.String(),
    node: Type.String({ description: 'The version of Node' }),
    pid: Type.Integer(),
    started: Type.Number({ description: 'Unix time in seconds' }),
    data_folder: Type.String(),
    urls: Type.Array(Type.String()),
    threads: Type.Array(Thread),
    listeners: Type.Array(Listener),
    database: Type.Object({
      state: Type.Enum(['ok', 'away']),
      size: Type.Integer({ description: 'Bytes' }),
      newest_copy: Nullable(Type.Number({ description: 'Unix time in seconds' })),
    }),
    dns: Dns,
    certificate: Type.Union([
      Type.Object({
        source: Type.Enum(['own', 'user']),
        names: Type.Array(Type.String()),
        valid_until: Type.Number({ description: 'Unix time in seconds' }),
        fingerprint: Type.String({ description: 'SHA-256' }),
      }),
      Type.Null(),
    ]),
  },
  { title: 'Status' },
);

const EndpointRow = Type.Object(
  { uri: Type.String(), parameters: Type.String({ description: 'The part of the path that varies' }) },
  { title: 'EndpointRow' },
);

export const serviceEndpoints = {
  getHealth: endpoint({
    method: 'GET',
    path: '/api/health',
    topic: 'service',
    access: 'open',
    summary: 'Check the health of the service',
    description:
      'For load balancers and container probes: cheap, without a credential. 503 means that no DNS ' +
      'listener answers although `dns.listen` has some, or that there is no database; `failing` next ' +
      'to `error` has the part, as `degraded` has others. All other problems are 200 with `degraded`, ' +
      'because a restart would not fix them.',
    replies: {
      200: {
        description: 'DNS is answered, or off; `degraded` has the parts that are degraded',
        body: Type.Object({ status: Type.Enum(['ok', 'degraded']), degraded: Degraded }),
        example: { status: 'degraded', degraded: [deadUpstreams] },
      },
    },
    errors: ['dnsUnanswered'],
  }),
  getStatus: endpoint({
    method: 'GET',
    path: '/api/status',
    topic: 'service',
    access: 'session',
    summary: 'Get the state of the service',
    description: 'Real ports, threads, versions, the state of the database and of the certificate.',
    replies: {
      200: {
        description: 'The state now',
        body: Type.Object({ status: Status }),
        example: {
          status: {
            state: 'running',
            health: 'ok',
            degraded: [],
            version: '0.1.0',
            node: '26.10.0',
            pid: 4711,
            started: 1794700000,
            data_folder: '/var/lib/sluice',
            urls: ['http://192.0.2.5/', 'https://192.0.2.5/'],
            threads: [{ name: 'api', state: 'running', restarts: 0, last_failure: null }],
            listeners: [{ setting: 'web.http', address: '*', port: 80, problem: null }],
            database: { state: 'ok', size: 40960, newest_copy: 1794690000 },
            certificate: null,
            dns: {
              queries: 1000,
              cached: 700,
              forwarded: 180,
              local: 20,
              blocked: 100,
              failed: 0,
              refused: 0,
              malformed: 0,
            },
          },
        },
      },
    },
    errors: [],
  }),
  getEndpoints: endpoint({
    method: 'GET',
    path: '/api/endpoints',
    topic: 'service',
    access: 'session',
    summary: 'List all endpoints',
    replies: {
      200: {
        description: 'The endpoints by method',
        body: Type.Object({
          endpoints: Type.Object({
            get: Type.Array(EndpointRow),
            post: Type.Array(EndpointRow),
            put: Type.Array(EndpointRow),
            patch: Type.Array(EndpointRow),
            delete: Type.Array(EndpointRow),
          }),
        }),
        example: {
          endpoints: {
            get: [{ uri: '/api/groups', parameters: '/{name}' }],
            post: [],
            put: [],
            patch: [],
            delete: [],
          },
        },
      },
    },
    errors: [],
  }),
} as const;
