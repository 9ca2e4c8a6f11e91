// Explains the answer to a query: the whole decision as steps, in the order in which a dns worker makes it.
// Each step has a sentence for people and its facts for programs.

import { Type, type TProperties } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { ScheduleState } from './schedules.ts';
import { UnixSeconds } from './shared.ts';

function OrNull<T extends Parameters<typeof Type.Union>[0][number]>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
const Text = Type.String();
const MaybeText = OrNull(Type.String());

const Verdict = Type.Enum(['pass', 'allow', 'block', 'local', 'refuse'], {
  description:
    '`pass`: no rule matches; `allow`: a rule allows it; `block`; `local`: this service has the answer; ' +
    '`refuse`: this client is not answered',
});

const Row = Type.Enum(
  [
    'ownImportantAllow',
    'ownImportantBlock',
    'ownAllow',
    'ownBlock',
    'listImportantAllow',
    'listImportantBlock',
    'listAllow',
    'listBlock',
    'pass',
  ],
  { description: 'The row of the precedence table; the first one with a rule decides' },
);

const Rule = Type.Object(
  {
    wins: Type.Boolean({ description: 'Whether this rule decided' }),
    row: Row,
    outcome: Type.Enum(
      [
        'holds',
        'otherGroups',
        'switchedOff',
        'otherType',
        'otherClient',
        'excepted',
        'blockingOff',
        'unfinished',
      ],
      { description: '`holds`, or why it does not apply here' },
    ),
    action: Type.Enum(['allow', 'block']),
    important: Type.Boolean(),
    kind: Type.Enum(['name', 'pattern', 'address']),
    reach: Type.Enum(['exact', 'below', 'onlyBelow'], {
      description: 'The name alone, the name and its subdomains, or only its subdomains',
    }),
    about: Type.String({ description: 'The name, the regular expression or the range of addresses' }),
    since: OrNull(UnixSeconds),
    own: OrNull(
      Type.Object({
        id: Type.Integer(),
        domain: Text,
        type: Type.Enum(['allow', 'deny']),
        kind: Type.Enum(['exact', 'regex']),
        comment: MaybeText,
      }),
    ),
    list: OrNull(
      Type.Object({
        id: Type.Integer(),
        address: MaybeText,
        comment: MaybeText,
        type: OrNull(Type.Enum(['allow', 'block'])),
        line: OrNull(Type.Integer({ description: 'Line in the copy in force; null: not found in time' })),
        text: MaybeText,
      }),
    ),
  },
  { title: 'ExplainedRule', description: 'A matching rule and its effect' },
);

const judged = {
  about: Text,
  verdict: Type.Enum(['pass', 'allow', 'block', 'local']),
  row: Row,
  because: OrNull(
    Type.Enum(['onlyOne', 'row', 'exact', 'longestSuffix', 'lowestId'], {
      description: 'Why the winner precedes the next rule',
    }),
  ),
  rules: Type.Array(Rule, { description: 'The winner first' }),
};

function step<const S extends string, const P extends TProperties>(name: S, properties: P) {
  return Type.Object({
    step: Type.Literal(name),
    decides: Type.Boolean({ description: 'Whether the answer is decided here' }),
    text: Type.String({ description: 'For people' }),
    ...properties,
  });
}

const Step = Type.Union([
  step('client', {
    address: Text,
    configured: OrNull(Type.String({ description: 'The matching entry of /api/clients' })),
    found_by: Type.Enum(['address', 'mac', 'hostName', 'range', 'interface', 'nothing']),
    comment: MaybeText,
    mac: MaybeText,
    host_name: MaybeText,
    interface: MaybeText,
    answered: Type.Boolean({ description: 'False: it is not a client of this network, and is refused' }),
  }),
  step('groups', {
    groups: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: MaybeText,
        in_force: Type.Boolean({ description: 'False: disabled, expired, or outside its schedules' }),
        schedule_state: OrNull(ScheduleState),
      }),
    ),
  }),
  step('blocking', {
    blocking: Type.Boolean({ description: 'Whether rules may block for this client now' }),
    switched_on: Type.Boolean({ description: 'Whether blocking is switched on' }),
    timer: OrNull(Type.Integer()),
    pauses: Type.Array(
      Type.Object({
        group: Type.Optional(Text),
        client: Type.Optional(Text),
        until: OrNull(UnixSeconds),
      }),
    ),
  }),
  step('local', {
    kind: Type.Enum(['records', 'own', 'absent', 'empty', 'forward', 'any', 'unknown']),
    aliases: Type.Array(Text),
  }),
  step('rules', judged),
  step('special', { special: Type.Boolean() }),
  step('cache', {
    state: Type.Enum(['none', 'fresh', 'stale', 'gone']),
    ttl: Type.Integer({ description: 'Remaining seconds; negative after it expired' }),
    age: Type.Integer({ description: 'Seconds since it was received' }),
    failure: Type.Boolean(),
    upstream: MaybeText,
    worker: Type.String({ description: 'Each dns worker has its own cache' }),
  }),
  step('upstream', {
    routed: Type.Boolean({ description: 'Whether the name has its own upstreams' }),
    mode: Text,
    upstreams: Type.Array(
      Type.Object({
        upstream: Text,
        state: Type.Enum(['healthy', 'suspected', 'down', 'loop']),
        rtt_ms: OrNull(Type.Number()),
      }),
      { description: 'In the order in which they would be queried now' },
    ),
    outcome: OrNull(
      Type.Enum(['answered', 'no upstream', 'loop', 'timeout', 'unreachable', 'malformed', 'busy'], {
        description: 'The result of the query for this explanation',
      }),
    ),
    answered_by: MaybeText,
  }),
  step('target', {
    kind: Type.Enum(['name', 'address']),
    via: Type.String({ description: 'The type of the record with the target' }),
    ...judged,
  }),
  step('answer', {
    rcode: Type.String({ description: 'NOERROR, NXDOMAIN, …; `NONE`: no answer is sent' }),
    records: Type.Array(Text),
    record_count: Type.Integer(),
    blocked_upstream: Type.Boolean({ description: 'Whether the upstream signals that it blocks the name' }),
    private_removed: Type.Boolean({ description: 'Whether private addresses are removed from it' }),
  }),
]);

const example = {
  domain: 'ads.example.org',
  type: 'A',
  client: '192.168.1.5',
  verdict: 'block',
  reason: 'ads.example.org is blocked by the list https://lists.example.com/hosts.txt, line 17.',
  steps: [
    {
      step: 'local',
      decides: false,
      text: 'This is not a local name.',
      kind: 'unknown',
      aliases: [],
    },
  ],
};

export const explainEndpoints = {
  getExplanation: endpoint({
    method: 'GET',
    path: '/api/explain',
    topic: 'dns',
    access: 'session',
    summary: 'Explain the answer to a query',
    description:
      'The steps are in the order in which a query is answered and end where it is decided. Nothing is ' +
      'recorded, counted or cached. If the answer is neither decided nor cached, the upstreams are ' +
      'queried, for at most two seconds. When DNS is off, only steps without upstreams are returned.',
    query: Type.Object({
      domain: Type.String({ minLength: 1, maxLength: limits.domainTextLength }),
      type: Type.Optional(
        Type.String({ maxLength: 16, default: 'A', description: 'A, AAAA, HTTPS, TYPE65280, …' }),
      ),
      client: Type.Optional(
        Type.String({
          maxLength: limits.clientLength,
          description:
            'An address, or a range, MAC address, host name or `:interface` as in /api/clients; by default ' +
            'the caller',
        }),
      ),
      resolve: Type.Optional(
        Type.Boolean({ default: true, description: 'False: upstreams are not queried' }),
      ),
    }),
    replies: {
      200: {
        description: 'The decision',
        body: Type.Object({
          domain: Text,
          type: Text,
          client: Text,
          verdict: Verdict,
          reason: Type.String({ description: 'One sentence for people' }),
          steps: Type.Array(Step),
        }),
        example,
      },
    },
    fieldErrors: { domain: { missing: 'noQueryDomain', wrong: 'invalidParameter' } },
    errors: ['noQueryDomain', 'invalidDomain', 'unknownType', 'invalidClient', 'unavailable'],
  }),
} as const;
