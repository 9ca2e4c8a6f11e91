import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUpstream } from './parse-upstream.ts';

const good: Record<string, readonly [kind: string, host: string, port: number, name: string, path: string]> =
  {
    '192.0.2.1': ['udp', '192.0.2.1', 53, '', ''],
    '192.0.2.1:5353': ['udp', '192.0.2.1', 5353, '', ''],
    '192.0.2.1#5353': ['udp', '192.0.2.1', 5353, '', ''],
    'udp://192.0.2.1': ['udp', '192.0.2.1', 53, '', ''],
    'tcp://192.0.2.1#5': ['tcp', '192.0.2.1', 5, '', ''],
    '2001:db8::1': ['udp', '2001:db8::1', 53, '', ''],
    '[2001:db8::1]': ['udp', '2001:db8::1', 53, '', ''],
    '[2001:db8::1]:54': ['udp', '2001:db8::1', 54, '', ''],
    '[2001:db8::1]#54': ['udp', '2001:db8::1', 54, '', ''],
    '2001:db8::1#54': ['udp', '2001:db8::1', 54, '', ''],
    'fe80::1%eth0': ['udp', 'fe80::1%eth0', 53, '', ''],
    'fe80::1%eth0#5353': ['udp', 'fe80::1%eth0', 5353, '', ''],
    '[fe80::1%eth0]:5353': ['udp', 'fe80::1%eth0', 5353, '', ''],
    'dns.example.com': ['udp', 'dns.example.com', 53, '', ''],
    'router#5353': ['udp', 'router', 5353, '', ''],
    'tls://dns.example.com': ['tls', 'dns.example.com', 853, 'dns.example.com', ''],
    'tls://dns.example.com:8853': ['tls', 'dns.example.com', 8853, 'dns.example.com', ''],
    'tls://192.0.2.1': ['tls', '192.0.2.1', 853, '192.0.2.1', ''],
    'tls://192.0.2.1?name=dns.example.com': ['tls', '192.0.2.1', 853, 'dns.example.com', ''],
    'tls://[2001:db8::1]:8853?name=dns.example.com': ['tls', '2001:db8::1', 8853, 'dns.example.com', ''],
    'https://dns.example.com': ['https', 'dns.example.com', 443, 'dns.example.com', '/dns-query'],
    'https://dns.example.com/': ['https', 'dns.example.com', 443, 'dns.example.com', '/dns-query'],
    'https://dns.example.com:8443/a/b?c=d': ['https', 'dns.example.com', 8443, 'dns.example.com', '/a/b?c=d'],
    'https://dns.example.com/q{?dns}': ['https', 'dns.example.com', 443, 'dns.example.com', '/q'],
    'https://192.0.2.1/dns-query': ['https', '192.0.2.1', 443, '192.0.2.1', '/dns-query'],
    'https://192.0.2.1/q?name=dns.example.com': ['https', '192.0.2.1', 443, 'dns.example.com', '/q'],
    'https://192.0.2.1/q?a=b&name=dns.example&c=d': ['https', '192.0.2.1', 443, 'dns.example', '/q?a=b&c=d'],
    'https://[2001:db8::1]/q': ['https', '2001:db8::1', 443, '2001:db8::1', '/q'],
    '192.0.2.1#1': ['udp', '192.0.2.1', 1, '', ''],
    '192.0.2.1#65535': ['udp', '192.0.2.1', 65_535, '', ''],
  };

for (const [text, [kind, host, port, tlsName, path]] of Object.entries(good)) {
  test(`${text} is an upstream`, () => {
    const isAddress = /^[\d.]+$|:/.test(host);
    const way = { usesUdp: kind === 'udp', isSecure: kind === 'tls' || kind === 'https' };
    assert.deepEqual(parseUpstream(text), { text, kind, ...way, host, isAddress, port, tlsName, path });
  });
}

const wrong = [
  '',
  ' ',
  '192.0.2.1#0',
  '192.0.2.1#65536',
  '192.0.2.1#',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.01',
  '[192.0.2.1]:53',
  '[2001:db8::1',
  '2001:db8::g',
  'ftp://192.0.2.1',
  'tls://',
  'tls://192.0.2.1?name=',
  'tls://192.0.2.1?name=a b',
  '192.0.2.1?name=dns.example',
  'tcp://192.0.2.1?name=dns.example',
  'https://',
  'https://user:word@dns.example.com/',
  'https://dns.example.com/#part',
  'https://192.0.2.999/',
  'dns example',
  '-dns.example',
  'a'.repeat(64) + '.example',
];

for (const text of wrong) {
  test(`"${text}" is not an upstream`, () => assert.equal(parseUpstream(text), undefined));
}
