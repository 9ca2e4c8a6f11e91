// What a person reads at the very first start, once: where to go, the password, how to change it, where the
// data lies, and how to use the service. It goes to the standard output, apart from the log.

import { writeSync } from 'node:fs';
import type { NetworkInterfaceInfo } from 'node:os';
import { parseListenAddresses } from '#contract';
import { readInterfaces } from '../sockets/interfaces.ts';
import type { ApiThreadData, Listening } from '../threads/messages.ts';
import type { Api } from './api.ts';

export interface Greeting {
  readonly version: string;
  readonly urls: readonly string[];
  /** Nothing when the environment or the file has set one. */
  readonly password: string | undefined;
  readonly dataDir: string;
  readonly dns: string;
  readonly caFile: string | undefined;
  readonly replaced: readonly string[];
}

export const greetingText = (greeting: Greeting): string => {
  const rows: (readonly [string, string])[] = [
    ...greeting.urls.map((url, index) => [index === 0 ? 'Open in a browser' : '', url] as const),
    ['Password', greeting.password ?? 'as set by the environment or the settings file'],
    ...(greeting.password === undefined
      ? []
      : [['', 'shown only now; `sluice password` sets another'] as const]),
    ['Data folder', greeting.dataDir],
    ...(greeting.caFile === undefined
      ? []
      : [['Trust HTTPS', `import ${greeting.caFile} into your browser`] as const]),
    ['Point a device at it', greeting.dns],
    ...greeting.replaced.map((text, index) => [index === 0 ? 'Please note' : '', text] as const),
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(22)}${text}`);
  return ['', `Sluice ${greeting.version} is running.`, '', ...lines, '', ''].join('\n');
};

/** What to tell devices, by where it is listened: others reach only what is not on loopback. */
export const dnsAdvice = (addresses: readonly string[], dnsListen: string): string => {
  const parsed = parseListenAddresses(dnsListen);
  const all = parsed.ok ? parsed.addresses : [];
  const [first] = all;
  if (first === undefined) return 'DNS is off (dns.listen is empty)';
  const reached = all.find(({ host }) => isAll(host)) ?? all.find(({ host }) => !isLoopback(host));
  if (reached === undefined)
    return `only this machine can ask it, at ${placeText(first.host, first.port)}; set dns.listen for others`;
  const address = isAll(reached.host) ? (addresses[0] ?? 'the address of this machine') : reached.host;
  return `set its DNS server to ${placeText(address, reached.port)}`;
};

const placeText = (address: string, port: number): string =>
  port === 53 ? address : `${address}, port ${port}`;
const isAll = (address: string): boolean => ['*', '::', '0.0.0.0'].includes(address);
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** The addresses under which others reach this machine, IPv4 first. */
export const reachableAddresses = (interfaces: Interfaces): readonly string[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, address }) => !internal && !address.startsWith('fe80:') && !address.startsWith('169.254.'),
    )
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);

/** One URL for each open socket; a socket on all addresses is shown with the address that others use. */
export const urlsOf = ({ open }: Listening, addresses: readonly string[], basePath: string): string[] =>
  open
    .filter(({ setting }) => setting === 'web.http' || setting === 'web.https')
    .map(({ setting, listener }) => {
      const scheme = setting === 'web.https' ? 'https' : 'http';
      const address = isAll(listener.address) ? (addresses[0] ?? 'localhost') : listener.address;
      const host = address.includes(':') ? `[${address}]` : address;
      const isUsual = listener.port === (scheme === 'https' ? 443 : 80);
      return `${scheme}://${host}${isUsual ? '' : `:${listener.port}`}${basePath}/`;
    });

export const currentUrls = ({ servers, settings }: Api): string[] =>
  urlsOf(servers.listening, reachableAddresses(readInterfaces()), settings.current.web.basePath);

export const greet = (data: ApiThreadData, api: Api, replaced: readonly string[]): void => {
  const addresses = reachableAddresses(readInterfaces());
  const text = greetingText({
    version: data.version,
    urls: currentUrls(api),
    password: api.password,
    dataDir: data.dataDir,
    dns: dnsAdvice(addresses, api.settings.current.dns.listen),
    caFile: api.tls.caFile(),
    replaced,
  });
  writeSync(1, text);
};
