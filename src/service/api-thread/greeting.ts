// The text that the very first start prints to the standard output: URLs, password, data folder, and how to
// use the service. Addresses come from open sockets, never from the settings; closed ones are listed with
// the reason.

import { writeSync } from 'node:fs';
import type { NetworkInterfaceInfo } from 'node:os';
import { ipv4First, type Listening, readInterfaces, type TcpListener } from '#platform/sockets';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Api } from './api.ts';

export interface Greeting {
  readonly version: string;
  readonly urls: readonly string[];
  /** Addresses that are not open, each with the reason and what to do. */
  readonly closed: readonly string[];
  /** Undefined when the environment or the settings file has set one. */
  readonly password: string | undefined;
  readonly dataDir: string;
  readonly dns: string;
  readonly caFile: string | undefined;
  readonly replaced: readonly string[];
}

export function greetingText(greeting: Greeting): string {
  const rows: (readonly [string, string])[] = [
    ...rowsOf('Open in a browser', greeting.urls.length > 0 ? greeting.urls : [webClosed]),
    ['Password', greeting.password ?? 'as set by the environment or the settings file'],
    ...(greeting.password === undefined
      ? []
      : [['', 'shown only now; `sluice password` sets another'] as const]),
    ['Data folder', greeting.dataDir],
    ...(greeting.caFile === undefined
      ? []
      : [['Trust HTTPS', `import ${greeting.caFile} into your browser`] as const]),
    ['Point a device at it', greeting.dns],
    ...rowsOf('Please note', greeting.replaced),
    ...rowsOf('Not open', greeting.closed),
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(22)}${text}`);
  return ['', `Sluice ${greeting.version} is running.`, '', ...lines, '', ''].join('\n');
}

const webClosed = 'the web interface is not open; `sluice status` shows why';

function rowsOf(name: string, texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.map((text, index) => [index === 0 ? name : '', text] as const);
}

/** How to configure a device; other devices cannot reach loopback addresses. */
export function dnsAdvice(reachable: readonly string[], dns: Listening['dns'], dnsListen: string): string {
  if (dnsListen === '') return 'DNS is off (dns.listen is empty)';
  const answered = dns.filter(({ isAnswered }) => isAnswered);
  const [first] = answered;
  if (first === undefined) return `DNS is not answered: dns.listen (${dnsListen}) is not open yet`;
  const outside = answered.filter(({ address }) => !isLoopback(address));
  const preferred = reachable.flatMap((text) => outside.find(({ address }) => address === text) ?? []);
  const reached = preferred[0] ?? outside[0];
  if (reached === undefined)
    return `only this machine can use it, at ${endpointText(first)}; set dns.listen for others`;
  return `set its DNS server to ${endpointText(reached)}`;
}

function endpointText({ address, port }: Listening['dns'][number]): string {
  return port === 53 ? address : `${address}, port ${port}`;
}
function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** The addresses at which other devices reach this machine, IPv4 first. */
export function reachableAddresses(interfaces: Interfaces): readonly string[] {
  const reachable = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, address }) => !internal && !address.startsWith('fe80:') && !address.startsWith('169.254.'),
    );
  return ipv4First(reachable).map(({ address }) => address);
}

/** One URL for each open socket; a wildcard socket is shown with a reachable address. */
export function urlsOf({ open }: Listening, addresses: readonly string[], basePath: string): string[] {
  return open
    .filter(({ setting }) => setting === 'web.http' || setting === 'web.https')
    .map(({ setting, listener }) => {
      const scheme = setting === 'web.https' ? 'https' : 'http';
      const address = shownAddress(listener, addresses);
      const host = address.includes(':') ? `[${address}]` : address;
      const isDefaultPort = listener.port === (scheme === 'https' ? 443 : 80);
      return `${scheme}://${host}${isDefaultPort ? '' : `:${listener.port}`}${basePath}/`;
    });
}

/** A wildcard socket of one family does not accept the other one, so the family decides. */
function shownAddress({ address, family }: TcpListener, addresses: readonly string[]): string {
  if (address !== '::' && address !== '0.0.0.0') return address;
  const reached = addresses.find((one) => family === 'both' || (family === 'ipv6') === one.includes(':'));
  return reached ?? (family === 'ipv6' ? '::1' : 'localhost');
}

export function currentUrls({ servers, settings }: Api): string[] {
  return urlsOf(servers.listening, reachableAddresses(readInterfaces()), settings.current.web.basePath);
}

export function greet(data: ApiThreadData, api: Api, replaced: readonly string[]): void {
  const addresses = reachableAddresses(readInterfaces());
  const { dns, closed } = api.servers.listening;
  const text = greetingText({
    version: data.version,
    urls: currentUrls(api),
    closed: closed.map(({ problem }) => problem),
    password: api.password,
    dataDir: data.dataDir,
    dns: dnsAdvice(addresses, dns, api.settings.current.dns.listen),
    caFile: api.tls.caFile(),
    replaced,
  });
  writeSync(1, text);
}
