import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from '../codes.ts';
import { RecordCursor } from '../record-cursor.ts';
import { bytesOf, header, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';
import { dataText, recordText } from './record-text.ts';

const cursor = new RecordCursor();

function textOf(type: number, ...data: readonly Part[]): string {
  const question = bytesOf('a.b', word(1), word(1));
  const message = bytesOf(header(1, 0x8000, 1, 1), question, record([0xc0, 12], type, 60, bytesOf(...data)));
  cursor.start(placed(message), PLACE, message.length);
  assert.equal(cursor.next(), true);
  return dataText(cursor);
}

function ascii(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}
function string(text: string): number[] {
  return [text.length, ...ascii(text)];
}
/** Points to `b` in the question. */
const pointer = [0xc0, 14];

describe('the data of each type', () => {
  const cases: readonly [number, readonly Part[], string][] = [
    [Type.A, [192, 0, 2, 1], '192.0.2.1'],
    [Type.AAAA, [0x20, 1, 0xd, 0xb8, Array<number>(11).fill(0), 1], '2001:db8::1'],
    [Type.NS, ['ns.x'], 'ns.x'],
    [Type.CNAME, [1, 0x63, pointer], 'c.b'],
    [Type.PTR, [1, 0x41, 0], 'A'],
    [Type.MX, [word(10), pointer], '10 b'],
    [Type.MX, [word(0), '.'], '0 .'],
    [Type.TXT, [string('v=spf1 "x" \\'), string('\u0007é')], '"v=spf1 \\"x\\" \\\\" "\\007\\233"'],
    [Type.TXT, [0], '""'],
    [Type.HINFO, [string('RFC8482'), 0], '"RFC8482" ""'],
    [
      Type.SOA,
      ['m', 'r.m', 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 255, 255, 255, 255],
      'm r.m 1 2 3 4 4294967295',
    ],
    [Type.SRV, [word(1), word(2), word(443), 'x.y'], '1 2 443 x.y'],
    [
      Type.NAPTR,
      [word(1), word(2), string('u'), string('E2U+sip'), string('!^.*$!x!'), '.'],
      '1 2 "u" "E2U+sip" "!^.*$!x!" .',
    ],
    [Type.CAA, [0, string('issue'), ascii('ca.example')], '0 issue "ca.example"'],
    [Type.URI, [word(1), word(2), ascii('https://x')], '1 2 "https://x"'],
    [Type.DS, [word(60_485), 13, 2, 0xab, 0xcd], '60485 13 2 ABCD'],
    [Type.DNSKEY, [word(257), 3, 13, 1, 2, 3], '257 3 13 AQID'],
    [
      Type.RRSIG,
      [word(1), 13, 2, 0, 0, 1, 44, 0x67, 0x74, 0x85, 0x80, 0, 0, 0, 0, word(7), 'x', 1, 2, 3],
      'A 13 2 300 20250101000000 19700101000000 7 x AQID',
    ],
    [Type.SSHFP, [4, 2, 0xaa], '4 2 AA'],
    [Type.TLSA, [3, 1, 1, 0xaa], '3 1 1 AA'],
    [Type.NSEC, ['n.x', 0, 6, 0x40, 1, 0, 0, 0, 3, 1, 1, 0x40], 'n.x A MX RRSIG NSEC CAA'],
    [65_280, [1, 2, 255], '\\# 3 0102FF'],
    [Type.NULL, [], '\\# 0'],
  ];
  for (const [type, data, expected] of cases)
    it(expected, () => assert.equal(textOf(type, ...data), expected));
});

describe('HTTPS and SVCB', () => {
  const cases: readonly [string, readonly Part[], string][] = [
    ['an alias', [word(0), 'x.y'], '0 x.y'],
    [
      'all that is known',
      [
        [...word(1), 0, ...word(0), ...word(4), ...word(1), ...word(4)],
        [...word(1), ...word(6), ...string('h2'), ...string('h3')],
        [...word(2), ...word(0), ...word(3), ...word(2), ...word(8443)],
        [...word(4), ...word(8), 1, 2, 3, 4, 5, 6, 7, 8],
        [...word(5), ...word(3), 1, 2, 3],
        [...word(6), ...word(16), ...Array<number>(15).fill(0), 1],
        [...word(7), ...word(4), ...ascii('/q{}')],
        [...word(667), ...word(2), 0x61, 0],
      ],
      '1 . mandatory=alpn,ipv4hint alpn="h2,h3" no-default-alpn port=8443 ipv4hint=1.2.3.4,5.6.7.8 ' +
        'ech=AQID ipv6hint=::1 dohpath="/q{}" key667="a\\000"',
    ],
    [
      'half an address',
      [word(1), '.', word(4), word(5), 1, 2, 3, 4, 5],
      '1 . ipv4hint="\\001\\002\\003\\004\\005"',
    ],
    ['a port of three bytes', [word(1), '.', word(3), word(3), 0x61, 0x61, 0x61], '1 . port="aaa"'],
    ['a protocol name that overruns', [word(1), '.', word(1), word(2), 9, 0x61], '1 . alpn="\\009a"'],
    ['a protocol name with a comma', [word(1), '.', word(1), word(2), 1, 0x2c], '1 . alpn="\\001,"'],
    ['a value that overruns', [word(1), '.', word(3), word(3), 0], '\\# 8 0001000003000300'],
  ];
  for (const [name, data, expected] of cases) {
    it(name, () => {
      assert.equal(textOf(Type.HTTPS, ...data), expected);
      assert.equal(textOf(Type.SVCB, ...data), expected);
    });
  }
});

describe('data that does not have the form of its type is shown as bytes', () => {
  const cases: readonly [number, readonly Part[]][] = [
    [Type.A, [1, 2, 3]],
    [Type.A, [1, 2, 3, 4, 5]],
    [Type.AAAA, [1]],
    [Type.CNAME, [3, 0x61]],
    [Type.CNAME, ['a', 9]],
    [Type.CNAME, [0xc0, 0xff]],
    [Type.MX, [1]],
    [Type.TXT, []],
    [Type.TXT, [5, 0x61]],
    [Type.SOA, ['a', 'b', 1]],
    [Type.CAA, [0, 3, 0x61]],
    [Type.CAA, [0, string('a b'), 1]],
    [Type.NSEC, ['a', 0, 3, 1]],
    [Type.RRSIG, [1, 2, 3]],
  ];
  for (const [type, data] of cases) {
    const bytes = bytesOf(...data);
    it(`type ${type}, ${bytes.length} bytes`, () => {
      assert.equal(textOf(type, bytes), `\\# ${bytes.length} ${bytes.toHex().toUpperCase()}`.trimEnd());
    });
  }
});

describe('a whole record', () => {
  it('is written as name, TTL, class, type and data', () => {
    textOf(Type.A, 1, 2, 3, 4);
    assert.equal(recordText(cursor), 'a.b 60 IN A 1.2.3.4');
  });
  it('with a malformed name has ? as its name', () => {
    const message = bytesOf(header(1, 0x8000, 0, 1), record([0xc0, 200], 1, 1, [1, 2, 3, 4]));
    cursor.start(message, 0, message.length);
    cursor.next();
    assert.equal(recordText(cursor), '? 1 IN A 1.2.3.4');
  });
});
