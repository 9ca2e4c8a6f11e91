// The HTTP application of the api thread: endpoints, handlers, the gate that checks requests by the settings,
// and the authenticator.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { endpoints } from '#contract';
import { readOwnDomains } from '#platform/neighbours';
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
    gate: gateFromSettings(api),
    authenticator: api.auth,
    isControlSocket: api.servers.isControlSocket,
    nowMs: steadyClockMs,
    reportBug: (error, where) => reportBug(api.log, error, where),
  });
  return api.requests.counted(app.handle);
}

/** DHCP may change the domain of the network while the service runs. */
const readDomainsEveryMs = 60_000;

/** The gate is rebuilt on the first request after a change of settings or of the machine's domains. */
function gateFromSettings(api: Api): () => Gate {
  let gate: Gate | undefined;
  let domains = readOwnDomains();
  api.settings.subscribe(() => (gate = undefined));
  setInterval(() => {
    const now = readOwnDomains();
    if (now.join(' ') !== domains.join(' ')) gate = undefined;
    domains = now;
  }, readDomainsEveryMs).unref();
  return () =>
    (gate ??= createGate({
      web: api.settings.current.web,
      ownNames: [hostname()],
      ownDomains: domains,
      phase: () => api.phase,
      httpsPort: () => api.servers.httpsPort(),
    }));
}

function reportBug(log: Log, error: unknown, where: string): string {
  const id = randomBytes(6).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('A request failed because of a bug in the service. Please report it.', { id, where, stack });
  return id;
}
