// Addresses in log lines, in the format of dns.listen and web.http, so that they can be copied from the log
// into a setting. IPv6 addresses get brackets, and a socket for both families is written as `*`.

interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly family?: 'ipv4' | 'ipv6' | 'both';
}

export function endpointText({ address, port, family }: Endpoint): string {
  if (family === 'both') return `*:${port}`;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
