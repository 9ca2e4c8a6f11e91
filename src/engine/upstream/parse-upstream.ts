// The text forms of an upstream, read into plain data. The settings check the same forms before they are
// stored; here they are read strictly once more, because a wrong guess would send questions to another
// server.

import { isIP } from 'node:net';

/** What differs between the ways to ask, by the scheme of the text. */
interface UpstreamScheme {
  readonly defaultPort: number;
  /** Asked by datagrams, and by TCP for what is truncated; else by one kept connection. */
  readonly usesUdp: boolean;
  /** Encrypted, with a certificate. */
  readonly isSecure: boolean;
}

const schemes = {
  udp: { defaultPort: 53, usesUdp: true, isSecure: false },
  tcp: { defaultPort: 53, usesUdp: false, isSecure: false },
  tls: { defaultPort: 853, usesUdp: false, isSecure: true },
  https: { defaultPort: 443, usesUdp: false, isSecure: true },
} as const satisfies Readonly<Record<string, UpstreamScheme>>;

type UpstreamKind = keyof typeof schemes;

export interface UpstreamAddress {
  /** As it was set: what people see and what tells upstreams apart. */
  readonly text: string;
  readonly kind: UpstreamKind;
  readonly usesUdp: boolean;
  readonly isSecure: boolean;
  /** An IP address without brackets, possibly with a zone, or a name that has to be resolved first. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** What the certificate must be made out to; '' for plain DNS. */
  readonly tlsName: string;
  /** Of the HTTP request, with its query; '' for all but https. */
  readonly path: string;
}

const hostPattern = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i;

/** Undefined when the text has none of the forms. */
export function parseUpstream(text: string): UpstreamAddress | undefined {
  const [, scheme = 'udp', rest = ''] = /^(?:(udp|tcp|tls|https):\/\/)?(\S+)$/.exec(text) ?? [];
  if (scheme === 'https') return parseHttps(text);
  // The pattern lets no other word through.
  const kind = scheme as Exclude<UpstreamKind, 'https'>;
  const [server = '', name] = rest.split('?name=');
  const place = parsePlace(server);
  if (place === undefined || (name !== undefined && !isTlsName(kind, name))) return undefined;
  return upstream(text, kind, place, name, '');
}

function isTlsName(kind: UpstreamKind, name: string): boolean {
  return kind === 'tls' && hostPattern.test(name);
}

interface Place {
  readonly host: string;
  readonly port: number | undefined;
}

function upstream(
  text: string,
  kind: UpstreamKind,
  place: Place,
  name: string | undefined,
  path: string,
): UpstreamAddress {
  const { defaultPort, usesUdp, isSecure } = schemes[kind];
  return {
    text,
    kind,
    usesUdp,
    isSecure,
    host: place.host,
    isAddress: isIP(place.host) !== 0,
    port: place.port ?? defaultPort,
    tlsName: isSecure ? (name ?? place.host) : '',
    path,
  };
}

/** `host`, `host#port`, `host:port`, `[IPv6]`, `[IPv6]:port`, `[IPv6]#port`, `IPv6#port` */
function parsePlace(text: string): Place | undefined {
  if (isIP(text) !== 0) return { host: text, port: undefined };
  const [, bracketed, plain = '', portText] =
    /^(?:\[([^\]]+)\]|([^[\]#]+?))(?:[#:](\d{1,5}))?$/.exec(text) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port === 0 || Number(port) > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined;
  return isHost(plain) ? { host: plain, port } : undefined;
}

/** Four numbers that are no IPv4 address are a slip and not a name (RFC 1123 section 2.1). */
function isHost(host: string): boolean {
  return isIP(host) !== 0 || (hostPattern.test(host) && !/(^|\.)\d+\.?$/.test(host));
}

/** RFC 8484. A URI template's `{?dns}` is of no use with POST and left out. */
function parseHttps(text: string): UpstreamAddress | undefined {
  const plain = text.replace(/\{\?dns\}$/, '');
  if (!URL.canParse(plain)) return undefined;
  const url = new URL(plain);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (`${url.username}${url.password}${url.hash}` !== '' || !isHost(host)) return undefined;
  const name = isIP(host) === 0 ? undefined : givenName(url);
  const search = name === undefined ? url.search : searchWithoutName(url);
  const path = (url.pathname === '/' ? '/dns-query' : url.pathname) + search;
  return upstream(text, 'https', { host, port: url.port === '' ? undefined : Number(url.port) }, name, path);
}

function givenName(url: URL): string | undefined {
  const name = url.searchParams.get('name');
  return name !== null && hostPattern.test(name) ? name : undefined;
}

function searchWithoutName(url: URL): string {
  return url.search.replace(/([?&])name=[^&]*&?/, '$1').replace(/[?&]$/, '');
}
