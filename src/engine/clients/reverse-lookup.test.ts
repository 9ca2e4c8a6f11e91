// Names of addresses: from our own records and from upstreams, with answers of all kinds.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ipBytes, nameToText } from '#wire';
import { makeReply } from '#testing/engine/messages';
import { Network, usualOptions } from '#testing/engine/network';
import { lookUpName, type NameOutcome } from './reverse-lookup.ts';

const options = {
  ...usualOptions,
  local: {
    ...usualOptions.local,
    records: { hosts: ['192.168.1.20 NAS.lan nas', 'fd00::20 nas.lan'], cnameRecords: [], ttlSeconds: 60 },
    routedNetworks: ['192.168.7.0/24'],
  },
};

const bytesOf = (text: string): Uint8Array => {
  const bytes = ipBytes(text) ?? new Uint8Array(16);
  return bytes.length === 16 ? bytes : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes]);
};

const lookUp = (address: string): { outcomes: NameOutcome[]; network: Network } => {
  const network = new Network(options);
  const outcomes: NameOutcome[] = [];
  lookUpName(network.engine, bytesOf(address), (outcome) => outcomes.push(outcome));
  return { outcomes, network };
};

const found = (name?: string): NameOutcome[] => [{ isFound: true, name }];

describe('the name of an address', () => {
  const known: readonly (readonly [string, string | undefined])[] = [
    ['192.168.1.20', 'nas.lan'],
    ['fd00::20', 'nas.lan'],
    ['127.0.0.1', 'localhost'],
    ['192.168.1.21', undefined],
    ['fd00::21', undefined],
  ];
  for (const [address, name] of known)
    test(`${address} is known here: ${name}`, () => {
      const { outcomes, network } = lookUp(address);
      assert.deepEqual(outcomes, found(name));
      assert.equal(network.forwarder.questions.length, 0);
    });

  const replies: readonly (readonly [string, readonly string[], readonly string[], NameOutcome[]])[] = [
    ['a name', ['NOERROR'], ['5.7.168.192.in-addr.arpa 60 PTR Tablet.LAN'], found('tablet.lan')],
    [
      'one behind an alias',
      ['NOERROR'],
      ['5.7.168.192.in-addr.arpa 60 CNAME 5.sub.example', '5.sub.example 60 PTR tv.lan'],
      found('tv.lan'),
    ],
    ['no such name', ['NXDOMAIN'], [], found()],
    ['nothing', ['NOERROR'], [], found()],
    ['a failure', ['SERVFAIL'], [], [{ isFound: false }]],
    ['a refusal', ['REFUSED'], [], [{ isFound: false }]],
  ];
  for (const [title, head, records, expected] of replies)
    test(`is read from the reply of an upstream: ${title}`, () => {
      const { outcomes, network } = lookUp('192.168.7.5');
      const [asked] = network.forwarder.questions;
      assert.ok(asked !== undefined);
      assert.equal(nameToText(asked.question.name), '5.7.168.192.in-addr.arpa');
      assert.deepEqual(outcomes, []);
      network.forwarder.reply(asked, makeReply(asked.question, head, records));
      assert.deepEqual(outcomes, expected);
    });

  test('without an answer the outcome is not found', () => {
    const { outcomes, network } = lookUp('9.9.9.9');
    const [asked] = network.forwarder.questions;
    assert.ok(asked !== undefined);
    network.forwarder.fail(asked, 'timeout');
    assert.deepEqual(outcomes, [{ isFound: false }]);
  });
});
