// Messages recorded from a running kernel, and messages that end early or make no sense.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neighbourRequest, neighboursRequest, readMessages, routeRequest } from './netlink-messages.ts';

function bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replaceAll(/\s/gu, ''), 'hex'));
}
function hex(data: Uint8Array): string {
  return Buffer.from(data).toString('hex');
}
const ipv4 = bytes('0000 0000 0000 0000 0000 ffff c0000201');
const ipv6 = bytes('fd00 0000 0000 0000 0000 0000 0000 0001');

const viaRouter = `700000001800000001000000cf070000 02200000fe00000100020000
  08000f00fe000000 0800010008080808 0800040004000000 08000700c0000202 08000500c0000201 0800190000000000
  24000c0002000000477c2300000000000000000000000000000000000000000000000000`;
const toItself = `680000001800000001000000cf070000 02200000fe00000200020080
  08000f00fe000000 080001007f000001 0800040001000000 080007007f000001 0800190000000000
  24000c0002000000e67d2300000000000000000000000000000000000000000000000000`;
const neighbour = `4c0000001c000000020000002d0f0000 020000000400000002000001 08000100c0000201
  0a00020002fc000000050000 0800040001000000 14000300e6050000e6050000e605000002000000`;
const noSuchNeighbour = `380000000200000002000000cf070000 feffffff240000001e000100020000000000000002000000
  010000000000000008000100c0a80101`;
const done = '14000000030002000000000000000000 00000000';

describe('a message of the kernel', () => {
  const found = { kind: 'neighbour', address: ipv4, mac: '02:fc:00:00:00:05', interfaceIndex: 4 };
  const cases: readonly (readonly [string, string, readonly object[]])[] = [
    ['a route through a router', viaRouter, [{ kind: 'route', interfaceIndex: 4, isOnLink: false }]],
    ['a route to this machine', toItself, [{ kind: 'route', interfaceIndex: 1, isOnLink: false }]],
    ['a neighbour', neighbour, [found]],
    ['no neighbour', noSuchNeighbour, [{ kind: 'end', code: 2 }]],
    ['several', neighbour + neighbour + done, [found, found, { kind: 'end', code: 0 }]],
    ['nothing', '', []],
    ['one of an unknown kind', neighbour.replace('1c00', '6300'), []],
    ['a length of zero', neighbour.replace('4c00', '0000'), []],
    ['a length beyond the end', neighbour.replace('4c00', '4d00'), []],
    ['an attribute beyond the end', neighbour.replace('08000100', '60000100'), []],
    ['an attribute shorter than its head', neighbour.replace('08000100', '03000100'), []],
    [
      'a hardware address of another length',
      neighbour.replace('0a000200', '09000200'),
      [{ ...found, mac: undefined }],
    ],
    [
      'a hardware address of zeros',
      neighbour.replace('02fc00000005', '000000000000'),
      [{ ...found, mac: undefined }],
    ],
  ];
  for (const [title, text, expected] of cases)
    it(title, () => assert.deepEqual(readMessages(bytes(text)), expected));

  it('a truncated message is read without an exception', () => {
    const whole = bytes(viaRouter + neighbour + noSuchNeighbour + done);
    for (let length = 0; length < whole.length; length++) readMessages(whole.subarray(0, length));
  });
});

describe('a request to the kernel', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    [
      'the route to an IPv4 address',
      routeRequest(ipv4),
      '240000001a0001000000000000000000 022000000000000000000000 08000100c0000201',
    ],
    [
      'the route to an IPv6 address',
      routeRequest(ipv6),
      '300000001a0001000000000000000000 0a8000000000000000000000 14000100fd000000000000000000000000000001',
    ],
    [
      'a neighbour',
      neighbourRequest(ipv4, 4),
      '240000001e0001000000000000000000 020000000400000000000000 08000100c0000201',
    ],
    [
      'all neighbours',
      neighboursRequest('ipv6'),
      '1c0000001e0001030000000000000000 0a0000000000000000000000',
    ],
  ];
  for (const [title, request, expected] of cases)
    it(title, () => assert.equal(hex(request), hex(bytes(expected))));
});
