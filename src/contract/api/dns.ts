// The blocking switch: on, off, or off for a while, for all clients or for one group or client. The
// specification fixes that the state is a boolean.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { UnixSeconds } from './shared.ts';

const Timer = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
  description: 'Whole seconds until the timer ends; null for none',
});
const Pause = Type.Object(
  {
    group: Type.Optional(Type.String({ description: 'Name of the group' })),
    client: Type.Optional(Type.String({ description: 'In its canonical form, as in /api/clients' })),
    until: Type.Union([UnixSeconds, Type.Null()], {
      description: 'Unix time in seconds; null when it has no end',
    }),
  },
  { title: 'Pause' },
);
const Blocking = Type.Object({
  blocking: Type.Boolean({ description: 'Whether blocking is on' }),
  timer: Timer,
  pauses: Type.Array(Pause, { description: 'Groups and clients for which nothing is blocked now' }),
});
const paused = { pauses: [{ client: '192.168.1.5', until: 1794700900 }] };

export const dnsEndpoints = {
  getBlocking: endpoint({
    method: 'GET',
    path: '/api/dns/blocking',
    topic: 'dns',
    access: 'session',
    summary: 'Check whether blocking is on',
    replies: {
      200: { description: 'The state', body: Blocking, example: { blocking: true, timer: null, ...paused } },
    },
    errors: [],
  }),
  setBlocking: endpoint({
    method: 'POST',
    path: '/api/dns/blocking',
    topic: 'dns',
    access: 'session',
    summary: 'Switch blocking on or off',
    description:
      'With a timer the opposite state is restored automatically, also after a restart; a timer on an ' +
      'unchanged state leaves blocking on. With `group` or `client` it is a pause for that group or ' +
      'client only, for the duration of the timer or until it is ended with `blocking: true`; the reply ' +
      'has the state of blocking for all other clients, and all pauses.',
    body: Type.Object({
      blocking: Type.Boolean(),
      timer: Type.Optional(
        Type.Union([Type.Number({ maximum: limits.blockingTimerSeconds }), Type.Null()], {
          description: 'Seconds; null, 0 or less: no timer',
        }),
      ),
      group: Type.Optional(
        Type.Union(
          [
            Type.String({ minLength: 1, maxLength: limits.nameLength }),
            Type.Integer({ minimum: 0 }),
            Type.Null(),
          ],
          {
            description:
              'All clients in this group, by its name or id; the default group includes clients that ' +
              'are not configured; may be null next to a client',
          },
        ),
      ),
      client: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: limits.clientLength }), Type.Null()], {
          description:
            'An address, a range (CIDR), a MAC address, a host name or `:interface`, configured or not; ' +
            'may be null next to a group',
        }),
      ),
    }),
    bodyExample: { blocking: false, timer: 300 },
    fieldErrors: { blocking: { missing: 'noBlocking', wrong: 'noBlocking' } },
    replies: {
      200: {
        description: 'The state now',
        body: Blocking,
        example: { blocking: false, timer: 300, ...paused },
      },
    },
    errors: [
      'noBlocking',
      'settingPinned',
      'invalidPause',
      'unknownGroup',
      'blanks',
      'invalidClient',
      'collectionFull',
    ],
  }),
} as const;
