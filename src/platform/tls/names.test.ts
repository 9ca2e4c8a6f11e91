import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#contract';
import { canonicalName, namesOfCertificate, wantedNames } from './names.ts';

const canonical: [string, string | undefined][] = [
  ['Box.Example.', 'box.example'],
  ['*.example.org', '*.example.org'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['under_score', 'under_score'],
  ['[2001:DB8:0::1]', '2001:db8::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['a'.repeat(63), 'a'.repeat(63)],
  ['a'.repeat(64), undefined],
  [Array(127).fill('a').join('.'), Array(127).fill('a').join('.')],
  [`${Array(127).fill('a').join('.')}.a`, undefined],
  ['', undefined],
  ['-a', undefined],
  ['a b', undefined],
  ['a..b', undefined],
  ['host:443', undefined],
  ['10.1', undefined],
  ['0x7f000001', undefined],
  ['a.*.b', undefined],
  ['x,DNS:evil', undefined],
  ['fe80::1', undefined],
  ['fe80::1%eth0', undefined],
  ['169.254.3.4', undefined],
  ['0.0.0.0', undefined],
  ['::', undefined],
];

for (const [text, expected] of canonical) {
  test(`canonical text of "${text.slice(0, 40)}"`, () => assert.equal(canonicalName(text), expected));
}

test('the wanted names are in order of priority, without duplicates', () => {
  const addresses = ['2001:db8::2', '192.0.2.9', 'fe80::1', '127.0.0.1', '192.0.2.10'];
  const { names, leftOut } = wantedNames({
    hostname: 'Box.lan',
    hosts: ['dns.example', 'BOX.LAN', '?'],
    addresses,
  });
  const fixed = ['localhost', '127.0.0.1', '::1', 'sluice.internal'];
  const rest = ['box.lan', 'box.local', 'dns.example', '192.0.2.10', '192.0.2.9', '2001:db8::2'];
  assert.deepEqual(names, [...fixed, ...rest]);
  assert.deepEqual(leftOut, ['?']);
});

test('a host without a usable name still gets the fixed names', () => {
  for (const hostname of ['', 'my box', '192.0.2.1']) {
    assert.equal(wantedNames({ hostname, hosts: [], addresses: [] }).names.length, 4);
  }
});

test('at the limit all names are kept; above it the last addresses are dropped', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, i) => `10.0.0.${i + 100}`);
  const room = limits.certificateNames - 6;
  const exact = wantedNames({ hostname: 'box', hosts: [], addresses: addresses(room) });
  assert.equal(exact.names.length, limits.certificateNames);
  assert.deepEqual(exact.leftOut, []);
  const more = wantedNames({ hostname: 'box', hosts: [], addresses: addresses(room + 1) });
  assert.deepEqual(more.names, exact.names);
  assert.deepEqual(more.leftOut, [`10.0.0.${room + 100}`]);
});

const alternativeNames: [string | undefined, string[]][] = [
  [undefined, []],
  [
    'DNS:a.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
    ['a.example', '192.0.2.1', '2001:db8::1'],
  ],
  ['DNS:"evil, DNS:b.example", DNS:c.example', ['c.example']],
  ['URI:http://a/, email:x@example.org, DNS:d.example', ['d.example']],
];

for (const [text, expected] of alternativeNames) {
  test(`names of the subjectAltName ${text}`, () => assert.deepEqual(namesOfCertificate(text), expected));
}
