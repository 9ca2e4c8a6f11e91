// Refuses requests that a page of another site makes a browser send to us, before any other check. DNS
// rebinding: a foreign name that resolves to our address appears in the Host header, so unknown names are
// refused (421). Cross-site requests: the browser names the requesting site in Origin and Sec-Fetch-Site
// (https://fetch.spec.whatwg.org), and other sites are refused (403) unless `web.origins` contains them.

import { fail, isIpAddress, type Failure } from '#contract';

export interface GuardSettings {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** Names of this machine. */
  readonly ownNames: readonly string[];
  /** The domains of the network that this machine is in: all names below them belong to it. */
  readonly ownDomains: readonly string[];
}

interface GuardedHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

export type Guard = (
  headers: GuardedHeaders,
) => Failure<'misdirected' | 'foreignOrigin' | 'invalidRequest'> | undefined;

/**
 * Names that only the local network gives to machines: an attacker cannot register one on the internet and
 * let it resolve to our address. fritz.box and ts.net are registered, but their owners (the maker of the
 * routers, and Tailscale) choose the addresses.
 */
const localSuffixes = [
  '.local',
  '.lan',
  '.internal',
  '.home.arpa',
  '.home',
  '.localhost',
  '.fritz.box',
  '.ts.net',
];
const maxCachedHosts = 1_000;

export function createGuard(settings: GuardSettings): Guard {
  const names = new Set([...settings.hosts, ...settings.ownNames].map(canonicalName));
  const suffixes = [...localSuffixes, ...settings.ownDomains.map((domain) => `.${canonicalName(domain)}`)];
  const origins = new Set(settings.origins.map((origin) => origin.toLowerCase()));
  // Most requests name the same few hosts, so the results are cached.
  const known = new Map<string, boolean>();
  const isOurs = (host: string): boolean => {
    const found = known.get(host);
    if (found !== undefined) return found;
    if (known.size >= maxCachedHosts) known.clear();
    const name = hostNameOf(host);
    const ours = isLocalName(name, suffixes) || names.has(name);
    known.set(host, ours);
    return ours;
  };
  const isAllowed = (origin: string | undefined): boolean =>
    origin !== undefined && origins.has(origin.toLowerCase());
  return ({ host, origin, secFetchSite }) => {
    if (host === undefined) return fail('invalidRequest', 'The Host header is missing.');
    if (!isOurs(host)) return fail('misdirected', misdirectedHint(host));
    if (isAllowed(origin) || isFromHere(origin, host, secFetchSite)) return undefined;
    return fail(
      'foreignOrigin',
      `The page ${origin ?? 'that asks'} is not named in the setting web.origins.`,
    );
  };
}

/** The name in a Host header, without port, brackets and the root's dot, in lower case. */
export function hostNameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  return canonicalName(bracketed === null ? host.replace(/:\d*$/, '') : (bracketed[1] ?? ''));
}

function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** An address, a name of one label, or a name below one of the suffixes. */
function isLocalName(name: string, suffixes: readonly string[]): boolean {
  return (
    isIpAddress(name) !== 0 || /^[a-z0-9_-]+$/.test(name) || suffixes.some((suffix) => name.endsWith(suffix))
  );
}

/** Whether the request comes from one of our pages, or from no page. */
function isFromHere(origin: string | undefined, host: string, secFetchSite: string | undefined): boolean {
  return secFetchSite !== 'cross-site' && (origin === undefined || isSameHost(origin, host));
}

function isSameHost(origin: string, host: string): boolean {
  const [, scheme, originHost] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (scheme === undefined || originHost === undefined) return false;
  // Browsers omit the default port of the scheme in both headers; a proxy may have added it to Host.
  const port = scheme === 'https' ? ':443' : ':80';
  return host.toLowerCase() === originHost || host.toLowerCase() === `${originHost}${port}`;
}

function misdirectedHint(host: string): string {
  return (
    `The name ${JSON.stringify(host.slice(0, 255))} is not known here. If it is right, add it to the ` +
    'setting web.hosts (environment SLUICE_WEB_HOSTS), or use the address of the service.'
  );
}
