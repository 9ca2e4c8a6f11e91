// Addresses as log lines have them: in the form of dns.listen and web.http, so that they can be copied from
// one to the other. IPv6 needs brackets, and a socket for both families is a `*`.

interface Place {
  readonly address: string;
  readonly port: number;
  readonly family?: 'ipv4' | 'ipv6' | 'both';
}

export function placeText({ address, port, family }: Place): string {
  if (family === 'both') return `*:${port}`;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
