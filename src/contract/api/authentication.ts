// Login, logout and everything related: the specification fixes the fields and the texts, and existing
// clients read them.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

const Session = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the session is valid' }),
    totp: Type.Boolean({ description: 'Whether two-factor authentication is on' }),
    sid: Type.Union([Type.String(), Type.Null()], { description: 'Session id; null without a session' }),
    csrf: Type.Optional(Type.String({ description: 'CSRF token of the session' })),
    validity: Type.Integer({ description: 'Seconds until the session ends; -1 without one' }),
    message: Type.String({ description: 'What happened, for people' }),
  },
  { title: 'Session' },
);

const Totp = Type.Union([Type.String({ maxLength: 16 }), Type.Integer({ minimum: 0, maximum: 999_999 })], {
  description: 'The current token; as a number it may lack leading zeros',
});

const session = {
  valid: true,
  totp: false,
  sid: 'IlJ1sbz4pPKdCOc7YVPSJbV6XSLPsEWXq4jYCSkf_B8',
  csrf: 'vFA-EP4MQ5JJvJg-3Q2Jn1fnCtXcDzHSKMSCc5DzBp0',
  validity: 1800,
  message: 'password correct',
};

const AppPassword = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    sudo: Type.Boolean({ description: 'Whether it may change credentials and settings' }),
    created: Type.Integer({ description: 'Unix time in seconds' }),
    last_used: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Unix time in seconds, of the last login',
    }),
  },
  { title: 'AppPassword' },
);

const SessionRow = Type.Object(
  {
    id: Type.Integer(),
    current_session: Type.Boolean({ description: 'Whether it is the session of this request' }),
    valid: Type.Boolean(),
    tls: Type.Object({ login: Type.Boolean(), mixed: Type.Boolean() }),
    login_at: Type.Integer({ description: 'Unix time in seconds' }),
    last_active: Type.Integer({ description: 'Unix time in seconds' }),
    valid_until: Type.Integer({ description: 'Unix time in seconds' }),
    remote_addr: Type.String(),
    user_agent: Type.Union([Type.String(), Type.Null()]),
    x_forwarded_for: Type.Union([Type.String(), Type.Null()]),
    app: Type.Boolean({ description: 'Created with an application password' }),
    app_id: Type.Union([Type.Integer(), Type.Null()]),
    cli: Type.Boolean(),
  },
  { title: 'SessionRow' },
);

const ById = Type.Object({ id: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) });

const appPassword = { id: 1, name: 'Dashboard', sudo: false, created: 1794700000, last_used: null };

const sessionRow = {
  id: 1,
  current_session: true,
  valid: true,
  tls: { login: true, mixed: false },
  login_at: 1794700000,
  last_active: 1794700100,
  valid_until: 1794701900,
  remote_addr: '192.0.2.5',
  user_agent: 'curl/8.0',
  x_forwarded_for: null,
  app: false,
  app_id: null,
  cli: false,
};

export const authenticationEndpoints = {
  getAuth: endpoint({
    method: 'GET',
    path: '/api/auth',
    topic: 'authentication',
    access: 'open',
    summary: 'Check whether you are logged in',
    description:
      'The cookie alone is sufficient here, so that a reloaded page gets its CSRF token again. `sid` is ' +
      'null for callers with the cookie. `validity` is the time after this request, which extends the ' +
      'session.',
    replies: {
      200: {
        description: 'You are logged in',
        body: Type.Object({ session: Session }),
        example: { session },
      },
    },
    errors: ['unauthorized'],
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth',
    topic: 'authentication',
    access: 'open',
    summary: 'Log in with a password',
    description:
      'With the password, and the token when two-factor authentication is on; or an application password.',
    body: Type.Object({
      password: Type.String({
        maxLength: limits.passwordLength,
        description: 'The password, or an application password',
      }),
      totp: Type.Optional(Type.Union([Totp, Type.Null()])),
    }),
    bodyExample: { password: 'correct horse battery staple' },
    fieldErrors: { password: { missing: 'noPassword', wrong: 'passwordType' } },
    replies: {
      200: { description: 'A new session', body: Type.Object({ session: Session }), example: { session } },
    },
    errors: [
      'noPassword',
      'passwordType',
      'noTotp',
      'unauthorized',
      'invalidTotp',
      'reusedTotp',
      'loginRate',
      'seatsExceeded',
    ],
  }),
  logout: endpoint({
    method: 'DELETE',
    path: '/api/auth',
    topic: 'authentication',
    access: 'session',
    summary: 'Log out of the session',
    replies: { 410: { description: 'The session is gone', body: null } },
    errors: [],
  }),
  getTotp: endpoint({
    method: 'GET',
    path: '/api/auth/totp',
    topic: 'authentication',
    access: 'session',
    summary: 'Check whether two-factor authentication is on',
    replies: {
      200: {
        description: 'Whether it is on or off',
        body: Type.Object({ totp: Type.Object({ enabled: Type.Boolean() }) }),
        example: { totp: { enabled: false } },
      },
    },
    errors: [],
  }),
  startTotp: endpoint({
    method: 'POST',
    path: '/api/auth/totp',
    topic: 'authentication',
    access: 'sudo',
    summary: 'Get a secret for two-factor authentication',
    description: 'It takes effect when a token created with it is sent by PUT, within ten minutes.',
    replies: {
      201: {
        description: 'The secret, shown once',
        body: Type.Object({
          totp: Type.Object({
            secret: Type.String({ description: 'Base32' }),
            uri: Type.String({ description: 'otpauth URI' }),
            qr: Type.String({ description: 'The URI as a QR code, SVG' }),
          }),
        }),
        example: { totp: { secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/…', qr: '<svg …>' } },
      },
    },
    errors: ['totpIsOn'],
  }),
  confirmTotp: endpoint({
    method: 'PUT',
    path: '/api/auth/totp',
    topic: 'authentication',
    access: 'sudo',
    summary: 'Switch two-factor authentication on',
    body: Type.Object({ totp: Totp }),
    bodyExample: { totp: '123456' },
    fieldErrors: { totp: { missing: 'noTotp', wrong: 'noTotp' } },
    replies: {
      200: {
        description: 'On; all other sessions of the password have ended',
        body: Type.Object({ totp: Type.Object({ enabled: Type.Boolean() }) }),
        example: { totp: { enabled: true } },
      },
    },
    errors: ['noTotp', 'noTotpSetup', 'invalidTotp', 'reusedTotp', 'totpIsOn', 'loginRate'],
  }),
  removeTotp: endpoint({
    method: 'DELETE',
    path: '/api/auth/totp',
    topic: 'authentication',
    access: 'sudo',
    summary: 'Switch two-factor authentication off',
    description: 'Needs a current token, so that an open session is not sufficient.',
    body: Type.Object({ totp: Totp }),
    bodyExample: { totp: '123456' },
    fieldErrors: { totp: { missing: 'noTotp', wrong: 'noTotp' } },
    replies: { 204: { description: 'It is off now', body: null } },
    errors: ['noTotp', 'invalidTotp', 'reusedTotp', 'notFound', 'loginRate'],
  }),
  getApps: endpoint({
    method: 'GET',
    path: '/api/auth/app',
    topic: 'authentication',
    access: 'session',
    summary: 'List application passwords',
    replies: {
      200: {
        description: 'All application passwords, without the secrets',
        body: Type.Object({ apps: Type.Array(AppPassword) }),
        example: { apps: [appPassword] },
      },
    },
    errors: [],
  }),
  createApp: endpoint({
    method: 'POST',
    path: '/api/auth/app',
    topic: 'authentication',
    access: 'sudo',
    summary: 'Create an application password',
    description:
      'For scripts and dashboards: no second factor, can be removed separately. Shown only in this reply.',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
      sudo: Type.Optional(Type.Boolean({ default: false })),
    }),
    bodyExample: { name: 'Dashboard' },
    fieldErrors: { name: { missing: 'noGroupName', wrong: 'noGroupName' } },
    replies: {
      201: {
        description: 'The new application password',
        body: Type.Object({
          app: Type.Object({
            ...AppPassword.properties,
            password: Type.String({ description: 'Shown only now' }),
          }),
        }),
        example: { app: { ...appPassword, password: 'x3Jt…' } },
      },
    },
    errors: ['noGroupName', 'collectionFull'],
  }),
  deleteApp: endpoint({
    method: 'DELETE',
    path: '/api/auth/app/{id}',
    topic: 'authentication',
    access: 'sudo',
    summary: 'Remove an application password',
    description: 'Its sessions end.',
    params: ById,
    replies: { 204: { description: 'Removed', body: null } },
    errors: ['notFound'],
  }),
  getSessions: endpoint({
    method: 'GET',
    path: '/api/auth/sessions',
    topic: 'authentication',
    access: 'session',
    summary: 'List all sessions',
    replies: {
      200: {
        description: 'All sessions that have not ended',
        body: Type.Object({ sessions: Type.Array(SessionRow) }),
        example: { sessions: [sessionRow] },
      },
    },
    errors: [],
  }),
  deleteSession: endpoint({
    method: 'DELETE',
    path: '/api/auth/session/{id}',
    topic: 'authentication',
    access: 'session',
    summary: 'End a session',
    description: 'Your own session always; other sessions need a credential that may change credentials.',
    params: ById,
    replies: { 204: { description: 'The session has ended', body: null } },
    errors: ['notFound', 'forbidden'],
  }),
} as const;
