// The app of the api thread: the table of endpoints, the handlers, the gate that follows the settings and the
// door that knows who asks.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { endpoints } from '#contract';
import { steadyClockMs } from '#platform/time';
import { createApp, createGate, type Gate, type RequestHandler } from '#api/http';
import type { Log } from '#platform/log';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Api } from './api.ts';
import type { Channel } from './channel.ts';
import { createHandlers } from './handlers.ts';

export async function createHttpApp(
  data: ApiThreadData,
  channel: Channel,
  api: Api,
): Promise<RequestHandler> {
  const app = await createApp({
    table: endpoints,
    handlers: createHandlers(data, channel, api),
    gate: followingGate(api),
    authenticator: api.auth,
    isControlSocket: api.servers.isControlSocket,
    nowMs: steadyClockMs,
    reportBug: (error, where) => reportBug(api.log, error, where),
  });
  return api.requests.counted(app.handle);
}

/** Made anew after each change of a setting, when the next request comes. */
function followingGate(api: Api): () => Gate {
  let gate: Gate | undefined;
  api.settings.subscribe(() => (gate = undefined));
  return () =>
    (gate ??= createGate({
      web: api.settings.current.web,
      ownNames: [hostname()],
      phase: () => api.phase,
      httpsPort: () => api.servers.httpsPort(),
    }));
}

function reportBug(log: Log, error: unknown, where: string): string {
  const id = randomBytes(6).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('A request failed because of a fault of the service. Please report it.', { id, where, stack });
  return id;
}
