// The limits on connections over the network, from the contract, the open-file limit and the settings.

import { limits } from '#contract';
import { steadyClockMs } from '#platform/time';
import { addressSet, ConnectionLimiter, type ConnectionLimiterOptions, contains } from '#api/http';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import { connectionsWithin } from '#platform/sockets';

/** A flood of connections must not flood the log. */
const logEveryMs = 60_000;

export function createConnectionLimiter(settings: LiveSettings, log: Log): ConnectionLimiter {
  const readProxies = () => addressSet(settings.current.web.trustedProxies);
  let proxies = readProxies();
  settings.subscribe(() => (proxies = readProxies()));
  let loggedMs = -logEveryMs;
  return connectionLimiterFor({
    isTrustedProxy: (address) => proxies !== undefined && contains(proxies, address),
    onRefused: (problem) => {
      if (steadyClockMs() - loggedMs < logEveryMs) return;
      loggedMs = steadyClockMs();
      log.warn(`A connection to the web interface was refused: ${problem}`);
    },
  });
}

export function connectionLimiterFor(
  options: Pick<ConnectionLimiterOptions, 'isTrustedProxy' | 'onRefused'>,
): ConnectionLimiter {
  const connections = connectionsWithin(limits.connections);
  // One client never takes more than half of the connections.
  const perClient = Math.min(limits.connectionsPerClient, Math.ceil(connections / 2));
  return new ConnectionLimiter({ connections, perClient, ...options });
}
