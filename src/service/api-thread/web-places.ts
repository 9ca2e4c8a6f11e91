// The places for connections over the network, as the limits, the process and the settings have them.

import { limits } from '#contract';
import { steadyClockMs } from '#platform/time';
import { addressSet, ConnectionPlaces, type ConnectionPlacesOptions, contains } from '#api/http';
import type { Log } from '#platform/log';
import type { LiveSettings } from '#store/settings';
import { connectionsWithin } from '#platform/sockets';

/** Whoever floods us with connections must not do so with lines of the log. */
const sayEveryMs = 60_000;

export function createPlaces(settings: LiveSettings, log: Log): ConnectionPlaces {
  const proxiesNow = () => addressSet(settings.current.web.trustedProxies);
  let proxies = proxiesNow();
  settings.subscribe(() => (proxies = proxiesNow()));
  let saidMs = -sayEveryMs;
  return placesFor({
    isTrustedProxy: (address) => proxies !== undefined && contains(proxies, address),
    onRefused: (problem) => {
      if (steadyClockMs() - saidMs < sayEveryMs) return;
      saidMs = steadyClockMs();
      log.warn(`A connection to the web interface was refused: ${problem}`);
    },
  });
}

export function placesFor(
  options: Pick<ConnectionPlacesOptions, 'isTrustedProxy' | 'onRefused'>,
): ConnectionPlaces {
  const connections = connectionsWithin(limits.connections);
  // One client alone never takes more than half of the places.
  const perClient = Math.min(limits.connectionsPerClient, Math.ceil(connections / 2));
  return new ConnectionPlaces({ connections, perClient, ...options });
}
