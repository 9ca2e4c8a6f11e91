// The door of HTTP: the application, its servers and their limits. Only app.ts knows the framework.

export { addressSet, contains } from './address-set.ts';
export { createApp } from './app.ts';
export { type Admission, ConnectionLimiter, type ConnectionLimiterOptions } from './connection-limiter.ts';
export { type PlainReply, toReply } from './envelope.ts';
export { createGate, type Gate, type Phase } from './gate.ts';
export type { Handlers } from './handler.ts';
export type { RequestHandler } from './raw-request.ts';
export { Connections, createHttpServer, createHttpsServer } from './servers.ts';
