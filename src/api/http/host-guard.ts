// Decides whether a request may come to us at all, before anything else looks at it. A page elsewhere can
// make a browser send us requests; two ways are closed here. DNS rebinding: a foreign name that resolves to
// our address shows in the Host header, so unknown names are refused (421). Cross-site requests: the browser
// says who asks in Origin and Sec-Fetch-Site (https://fetch.spec.whatwg.org), and foreign ones are refused
// (403) unless `web.origins` names them.

import { fail, isIpAddress, type Failure } from '#contract';

export interface GuardSettings {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** Names of this machine. */
  readonly ownNames: readonly string[];
}

interface GuardedHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

export type Guard = (
  headers: GuardedHeaders,
) => Failure<'misdirected' | 'foreignOrigin' | 'invalidRequest'> | undefined;

const localSuffixes = ['.local', '.lan', '.internal', '.home.arpa', '.localhost'];
const rememberedHosts = 1_000;

export const createGuard = (settings: GuardSettings): Guard => {
  const names = new Set([...settings.hosts, ...settings.ownNames].map(canonicalName));
  const origins = new Set(settings.origins.map((origin) => origin.toLowerCase()));
  // The same few hosts come with every request; what was found for them is remembered.
  const known = new Map<string, boolean>();
  const isOurs = (host: string): boolean => {
    const found = known.get(host);
    if (found !== undefined) return found;
    if (known.size >= rememberedHosts) known.clear();
    const ours = isLocalName(hostNameOf(host)) || names.has(hostNameOf(host));
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
};

/** The name in a Host header, without port, brackets and the root's dot, in lower case. */
export const hostNameOf = (host: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  return canonicalName(bracketed === null ? host.replace(/:\d*$/, '') : (bracketed[1] ?? ''));
};

const canonicalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const isLocalName = (name: string): boolean =>
  isIpAddress(name) !== 0 ||
  /^[a-z0-9_-]+$/.test(name) ||
  localSuffixes.some((suffix) => name.endsWith(suffix));

/** From no page at all, or from one of ours. */
const isFromHere = (origin: string | undefined, host: string, secFetchSite: string | undefined): boolean =>
  secFetchSite !== 'cross-site' && (origin === undefined || isSameHost(origin, host));

const isSameHost = (origin: string, host: string): boolean => {
  const [, scheme, originHost] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (scheme === undefined || originHost === undefined) return false;
  // A browser leaves out the scheme's default port in both headers; a proxy may have put it into Host.
  const port = scheme === 'https' ? ':443' : ':80';
  return host.toLowerCase() === originHost || host.toLowerCase() === `${originHost}${port}`;
};

const misdirectedHint = (host: string): string =>
  `The name ${JSON.stringify(host.slice(0, 255))} is not known here. If it is right, add it to the setting ` +
  'web.hosts (environment SLUICE_WEB_HOSTS), or use the address of the service.';
