// Queries to the real kernel for addresses of this machine. Real neighbours need a network: they are tested
// in test/dns/identity.test.ts. Tables that are read as a whole come from texts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseArpTable } from './arp-table.ts';
import { NetlinkLinks, openLinks, TableLinks } from './links.ts';
import { loadNetlink, type Netlink } from './netlink.ts';
import type { NetlinkMessage } from './netlink-messages.ts';

function mapped(...ipv4: number[]): Uint8Array {
  return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ipv4]);
}
const mac = '02:fc:00:00:00:05';
const netlink = loadNetlink();

describe('the kernel of this machine', { skip: netlink === undefined }, () => {
  it('reaches itself through lo', () => {
    const link = openLinks().find(mapped(127, 0, 0, 1), 0);
    assert.deepEqual(link, { mac: undefined, interface: 'lo', isOpen: false });
  });

  it('lists neighbours that have a hardware address', () => {
    for (const known of openLinks().neighbours()) {
      assert.equal(known.address.length, 16);
      assert.match(known.mac, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/u);
    }
  });

  it('has no name for an interface that does not exist', () => {
    assert.deepEqual([netlink?.interfaceName(1), netlink?.interfaceName(0x7fff_fff0)], ['lo', undefined]);
  });
});

/** A kernel that answers from a script, one reply per request. */
function scripted(...replies: readonly (NetlinkMessage | undefined)[]): NetlinkLinks & { asked(): number } {
  let asked = 0;
  const kernel: Netlink = {
    exchange: (request, next) => {
      for (let more: Uint8Array | undefined = request; more !== undefined; more = next(replies[asked++]));
    },
    list: () => [{ kind: 'neighbour', address: mapped(10, 0, 0, 5), mac, interfaceIndex: 4 }],
    interfaceName: (index) => `eth${index}`,
  };
  return Object.assign(new NetlinkLinks(kernel), { asked: () => asked });
}

describe('a neighbour', () => {
  const route = { kind: 'route', interfaceIndex: 4, isOnLink: true } as const;
  const address = mapped(10, 0, 0, 5);
  const neighbour = { kind: 'neighbour', address, mac, interfaceIndex: 4 } as const;
  const failed = (code: number) => ({ kind: 'end', code }) as const;
  const cases: readonly (readonly [string, readonly (NetlinkMessage | undefined)[], object])[] = [
    ['is known', [route, neighbour], { mac, interface: 'eth4', isOpen: false }],
    ['is not known yet', [route, failed(2)], { mac: undefined, interface: 'eth4', isOpen: true }],
    [
      'is being resolved by the kernel',
      [route, { ...neighbour, mac: undefined }],
      { mac: undefined, interface: 'eth4', isOpen: true },
    ],
    [
      'does not exist for an address behind a router',
      [{ ...route, isOnLink: false }, neighbour],
      { mac: undefined, interface: 'eth4', isOpen: false },
    ],
    [
      'does not exist without a route',
      [failed(101)],
      { mac: undefined, interface: undefined, isOpen: false },
    ],
    [
      'is found in the whole table by an old kernel',
      [route, failed(95)],
      { mac, interface: 'eth4', isOpen: false },
    ],
    [
      'is unknown when the kernel does not answer',
      [undefined],
      { mac: undefined, interface: undefined, isOpen: true },
    ],
  ];
  for (const [title, replies, expected] of cases)
    it(title, () => {
      const links = scripted(...replies);
      assert.deepEqual(links.find(address, 0), expected);
      assert.ok(links.asked() <= 2);
    });
});

describe('a table that is read as a whole', () => {
  const text = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.5         0x1         0x2         02:FC:00:00:00:05     *        eth0
10.0.0.6         0x1         0x0         00:00:00:00:00:00     *        eth0
10.0.0.7         0x1         0x2         00:00:00:00:00:00     *        wg0
not a row
10.0.0.8         0x1         0x6         02:fc:00:00:00:08     *        br-lan
`;

  it('has rows with hardware addresses', () => {
    assert.deepEqual(parseArpTable(text, 100), [
      { address: mapped(10, 0, 0, 5), mac, interface: 'eth0' },
      { address: mapped(10, 0, 0, 8), mac: '02:fc:00:00:00:08', interface: 'br-lan' },
    ]);
    assert.equal(parseArpTable(text, 3).length, 1);
  });

  it('is read once a second', () => {
    let read = 0;
    const links = new TableLinks(() => {
      read++;
      return read === 1 ? [] : parseArpTable(text, 100);
    });
    const find = (nowMs: number) => links.find(mapped(10, 0, 0, 5), nowMs);
    assert.deepEqual([find(0).isOpen, find(999).mac, read], [true, undefined, 1]);
    assert.deepEqual([find(1000), read], [{ mac, interface: 'eth0', isOpen: false }, 2]);
  });
});
