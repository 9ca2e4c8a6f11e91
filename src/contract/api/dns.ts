// The blocking switch: on, off, or off for a while. The specification fixes that the state is a boolean.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Timer = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
  description: 'Whole seconds until the state changes by itself; null for never',
});
const Blocking = Type.Object({
  blocking: Type.Boolean({ description: 'Whether blocking is on' }),
  timer: Timer,
});

export const dnsEndpoints = {
  getBlocking: endpoint({
    method: 'GET',
    path: '/api/dns/blocking',
    topic: 'dns',
    access: 'session',
    summary: 'Tell whether blocking is on',
    replies: { 200: { description: 'The state', body: Blocking, example: { blocking: true, timer: null } } },
    errors: [],
  }),
  setBlocking: endpoint({
    method: 'POST',
    path: '/api/dns/blocking',
    topic: 'dns',
    access: 'session',
    summary: 'Switch blocking on or off',
    description: 'With a timer the opposite state comes back by itself, also after a restart.',
    body: Type.Object({
      blocking: Type.Boolean(),
      timer: Type.Optional(
        Type.Union([Type.Number({ maximum: limits.blockingTimerSeconds }), Type.Null()], {
          description: 'Seconds; null, 0 or less: no timer',
        }),
      ),
    }),
    bodyExample: { blocking: false, timer: 300 },
    fieldErrors: { blocking: { missing: 'noBlocking', wrong: 'noBlocking' } },
    replies: {
      200: { description: 'The state now', body: Blocking, example: { blocking: false, timer: 300 } },
    },
    errors: ['noBlocking', 'settingPinned'],
  }),
} as const;
