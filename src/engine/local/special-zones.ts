// Zones that are never sent out, because no public server can know them, and asking would only reveal what
// happens at home: localhost, invalid, local, onion, home.arpa (RFC 6761, 6762, 7686, 8375) and the reverse
// zones of addresses that mean something at home only (RFC 6303, 7793).

import { reverseZones } from './reverse-names.ts';

/** There is nothing in them, unless a setting says otherwise. */
export const absentZones: readonly string[] = [
  'invalid',
  'local',
  'onion',
  'home.arpa',
  'sluice.internal',
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '255.255.255.255/32',
    '::/128',
    '::1/128',
    'fc00::/7',
    'fe80::/10',
    '2001:db8::/32',
  ].flatMap(reverseZones),
];

export const localhostZone = 'localhost';
export const discoveryZone = 'resolver.arpa';

/** Names whose answers keep browsers and devices from bypassing this resolver. */
export const firefoxCanary: readonly string[] = ['use-application-dns.net'];
export const relayNames: readonly string[] = ['mask.icloud.com', 'mask-h2.icloud.com'];
