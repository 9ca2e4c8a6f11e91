// Where this service is reached, as texts for people: the addresses of the machine, and one URL for each open
// socket. They come from open sockets, never from the settings.

import type { NetworkInterfaceInfo } from 'node:os';
import { ipv4First, type Listening, readInterfaces, type TcpListener } from '#platform/sockets';
import type { Api } from './api.ts';

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
export function urlsOf(
  { open }: Pick<Listening, 'open'>,
  addresses: readonly string[],
  basePath: string,
): string[] {
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
