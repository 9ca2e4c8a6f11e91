// What is looked up about clients, when it is looked up again, and the limits.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unknownTraits, type NameOutcome } from '#engine';
import { ClientIdentifier, maxKnownLinks, maxLinksPerSecond } from './client-identifier.ts';
import { maxHostNames, maxInFlight, maxLookupsPerSecond } from '../clients/host-names.ts';
import type { Link } from '#platform/neighbours';

const mac = '02:00:00:00:00:07';
const known: Link = { mac, interface: 'eth0', isOpen: false };
const open: Link = { mac: undefined, interface: 'eth0', isOpen: true };
const planned = { labels: [], groups: [] };
const byMac = { ...planned, mac };
const byHost = { ...planned, hostName: 'tablet' };

function addressOf(number: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(12, number);
  return bytes;
}

class World {
  nowMs = 0;
  link = known;
  linkQueries = 0;
  opened = 0;
  /** The last bytes of the addresses that `onName` reported. */
  readonly named: number[] = [];
  /** The immediate outcome of name lookups; when undefined, they wait. */
  atOnce: NameOutcome | undefined;
  readonly waiting: ((outcome: NameOutcome) => void)[] = [];
  nameQueries = 0;
}

function scene() {
  const world = new World();
  const identifier = new ClientIdentifier({
    openLinks: () => {
      world.opened++;
      return {
        find: () => {
          world.linkQueries++;
          return world.link;
        },
        neighbours: () => [],
      };
    },
    lookUp: (_address, done) => {
      world.nameQueries++;
      if (world.atOnce === undefined) world.waiting.push(done);
      else done(world.atOnce);
    },
    onName: (address) => world.named.push(address[15] ?? 0),
    nowMs: () => world.nowMs,
  });
  return { world, identifier, find: (number = 1) => identifier.identify(addressOf(number)) };
}

function found(name?: string): NameOutcome {
  return { isFound: true, name };
}

describe('the link of an address', () => {
  it('is looked up only when a client is configured by MAC address or interface', () => {
    const { world, identifier, find } = scene();
    assert.equal(find(), unknownTraits);
    identifier.setClients([{ ...planned, words: [], prefixBits: 128 }], '');
    assert.equal(find(), unknownTraits);
    assert.equal(world.opened, 0);
    for (const client of [byMac, { ...planned, interface: 'eth0' }]) {
      identifier.setClients([client], '');
      const expected = { mac, interface: 'eth0', hostName: undefined, isSettled: true };
      assert.deepEqual(find(), expected);
    }
    assert.deepEqual([world.opened, world.linkQueries, world.nameQueries], [1, 1, 0]);
  });

  for (const [word, isNeeded] of [
    [mac, true],
    [':eth0', true],
    ['tablet', false],
  ] as const)
    it(`is ${isNeeded ? '' : 'not '}looked up when an own rule names the client ${word}`, () => {
      const { world, identifier, find } = scene();
      identifier.setClients([], '', new Set([word]));
      find();
      assert.equal(world.linkQueries, isNeeded ? 1 : 0);
      identifier.setClients([], '', new Set());
      assert.equal(find(2), unknownTraits);
    });

  it('is looked up again after 20 ms', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byMac], '');
    find();
    world.link = { ...known, mac: '02:00:00:00:00:08' };
    world.nowMs = 19;
    assert.equal(find().mac, mac);
    world.nowMs = 20;
    assert.equal(find().mac, '02:00:00:00:00:08');
  });

  it('is kept for ten minutes after the kernel has forgotten it', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byMac], '');
    find();
    world.link = open;
    world.nowMs = 600_000;
    const { isSettled, mac: kept } = find();
    assert.deepEqual([kept, isSettled], [mac, false]);
    world.nowMs = 601_000;
    assert.deepEqual(find().mac, undefined);
  });

  it('is looked up a limited number of times per second', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byMac], '');
    for (let number = 0; number < maxLinksPerSecond; number++) assert.ok(find(number).isSettled);
    assert.deepEqual([find(maxLinksPerSecond).isSettled, find(3).mac], [false, mac]);
    world.nowMs = 999;
    assert.deepEqual([find(3).mac, world.linkQueries], [mac, maxLinksPerSecond]);
    world.nowMs = 1000;
    assert.ok(find(maxLinksPerSecond).isSettled);
  });

  it('is kept for a limited number of addresses; the oldest is dropped', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byMac], '');
    for (let number = 0; number <= maxKnownLinks; number++) {
      world.nowMs += 1;
      find(number);
    }
    world.link = open;
    world.nowMs += 1000;
    assert.deepEqual([find(0).mac, find(5).mac], [undefined, mac]);
  });
});

describe('the name of an address', () => {
  for (const [title, word, isNeeded] of [
    ['a host name', 'tablet.lan', true],
    ['the comment of a configured client', 'the pad', false],
    ['a MAC address', mac, false],
  ] as const)
    it(`is ${isNeeded ? '' : 'not '}looked up when an own rule names a client by ${title}`, () => {
      const { world, identifier, find } = scene();
      const configured = { ...planned, words: [], prefixBits: 128, labels: ['10.0.0.1', 'The pad'] };
      identifier.setClients([configured], '', new Set([word]));
      find();
      assert.equal(world.nameQueries, isNeeded ? 1 : 0);
    });

  it('is returned at once when the lookup answers at once', () => {
    const { world, identifier, find } = scene();
    world.atOnce = found('tablet.lan');
    identifier.setClients([byHost], '');
    assert.deepEqual([find().hostName, world.named, world.linkQueries], ['tablet.lan', [], 0]);
  });

  it('is reported when it is found, and looked up again after an hour', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byHost], '');
    assert.deepEqual(find(), {
      mac: undefined,
      interface: undefined,
      hostName: undefined,
      isSettled: true,
    });
    find();
    assert.equal(world.nameQueries, 1);
    world.waiting[0]?.(found('tablet.lan'));
    assert.deepEqual([world.named, find().hostName], [[1], 'tablet.lan']);
    world.nowMs = 3_599_999;
    assert.deepEqual([find().hostName, world.nameQueries], ['tablet.lan', 1]);
    world.nowMs = 3_600_000;
    assert.deepEqual([find().hostName, world.nameQueries], ['tablet.lan', 2]);
    world.waiting[1]?.(found('tablet.lan'));
    assert.deepEqual(world.named, [1]);
  });

  it('is kept when no server answers, and looked up again after a minute', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byHost], '');
    world.atOnce = found('tablet.lan');
    find();
    world.atOnce = { isFound: false };
    world.nowMs = 3_600_000;
    assert.equal(find().hostName, 'tablet.lan');
    world.nowMs += 59_999;
    find();
    assert.equal(world.nameQueries, 2);
    world.nowMs += 1;
    world.atOnce = found();
    assert.deepEqual([find().hostName, world.nameQueries], [undefined, 3]);
  });

  it('is looked up again when the name servers change', () => {
    const { world, identifier, find } = scene();
    world.atOnce = found('tablet.lan');
    identifier.setClients([byHost], 'one');
    find();
    identifier.setClients([byHost], 'one');
    find();
    assert.equal(world.nameQueries, 1);
    world.atOnce = found('tv.lan');
    identifier.setClients([byHost], 'other');
    assert.deepEqual([find().hostName, world.nameQueries], ['tv.lan', 2]);
  });

  it('is not looked up while too many lookups are in flight', () => {
    const { world, identifier, find } = scene();
    identifier.setClients([byHost], '');
    for (let number = 0; number < maxInFlight; number++) assert.ok(find(number).isSettled);
    assert.equal(find(maxInFlight).isSettled, false);
    world.waiting[0]?.(found());
    assert.ok(find(maxInFlight).isSettled);
  });

  it('is not looked up when the limit per second is reached', () => {
    const { world, identifier, find } = scene();
    world.atOnce = found('x.lan');
    identifier.setClients([byHost], '');
    for (let number = 0; number < maxLookupsPerSecond; number++) find(number);
    assert.equal(find(maxLookupsPerSecond).isSettled, false);
    world.nowMs = 1000;
    assert.equal(find(maxLookupsPerSecond).hostName, 'x.lan');
  });

  it('is kept for a limited number of addresses', () => {
    const { world, identifier, find } = scene();
    world.atOnce = found('x.lan');
    identifier.setClients([byHost], '');
    for (let number = 0; number <= maxHostNames; number++) {
      world.nowMs += 1000 / maxLookupsPerSecond;
      find(number);
    }
    world.atOnce = found('y.lan');
    world.nowMs += 1000;
    assert.deepEqual([find(1).hostName, find(0).hostName], ['x.lan', 'y.lan']);
  });
});
