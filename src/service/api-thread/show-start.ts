// Prints the screen of a start. It comes after the service is ready, so it delays nothing; it waits a moment
// for what is known only then: whether upstreams answer, and the first compilation of lists.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { upstreamStates, type UpstreamState } from '#control/health';
import { readInterfaces } from '#platform/sockets';
import { errorText } from '#platform/tasks';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Api } from './api.ts';
import { passwordLines, type PasswordPlace } from './first-password.ts';
import { currentUrls, reachableAddresses } from './own-addresses.ts';
import { type BlockingFacts, screenText } from './start-screen.ts';

/** Longer than the interval at which dns workers publish the state of their upstreams. */
const maxWaitMs = 2_500;
const checkEveryMs = 100;

/** True when the screen was printed; false when the service stops before. */
export async function showStart(data: ApiThreadData, api: Api, password: PasswordPlace): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < maxWaitMs && !isKnown(api); waitedMs += checkEveryMs)
    await sleep(checkEveryMs);
  return api.phase === 'open' && print(api, screenOf(data, api, password));
}

function isKnown(api: Api): boolean {
  if (api.phase !== 'open') return true;
  const { lists, missing, names } = listFacts(api);
  const isOff = api.settings.current.dns.listen === '';
  const hasLists = isOff || lists + missing === 0 || (lists > 0 && names > 0);
  return hasLists && (upstreamsNow(api) ?? []).every(({ answers }) => answers !== undefined);
}

function screenOf(data: ApiThreadData, api: Api, password: PasswordPlace): string {
  return screenText({
    version: data.version,
    dataDir: data.dataDir,
    listening: api.servers.listening,
    dnsListen: api.settings.current.dns.listen,
    reachable: reachableAddresses(readInterfaces()),
    urls: currentUrls(api),
    password: passwordLines(password),
    caFile: api.tls.caFile(),
    blocking: blockingFacts(api),
    upstreams: upstreamsNow(api),
    degraded: api.health.now(),
  });
}

function upstreamsNow({ dns, settings, traces }: Api): readonly UpstreamState[] | undefined {
  if (settings.current.dns.listen === '') return undefined;
  return dns.general && upstreamStates(dns.general, traces.figures()?.upstreams ?? []);
}

function blockingFacts(api: Api): BlockingFacts {
  const rules = api.storage.read.domains.filter((domain) => domain.enabled).length;
  return { ...listFacts(api), isOn: api.blocking.state().blocking, rules };
}

function listFacts({ storage, traces }: Api): Pick<BlockingFacts, 'names' | 'lists' | 'missing'> {
  const enabled = storage.read.lists.filter((list) => list.enabled);
  const inForce = enabled.filter(({ number, abp_entries }) => number + abp_entries > 0);
  return {
    names: traces.figures()?.listNames ?? 0,
    lists: inForce.length,
    missing: enabled.length - inForce.length,
  };
}

/** A reader that has gone must not end the service. */
function print({ log }: Api, text: string): boolean {
  try {
    writeSync(1, text);
    return true;
  } catch (error) {
    log.warn('The start screen could not be printed: `sluice status` has the same facts', {
      reason: errorText(error),
    });
    return false;
  }
}
