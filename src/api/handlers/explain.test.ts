// The handler of explanations: the client of the query, refused input, the limit of concurrent requests, and
// explanations without a dns worker.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explained, Inquiry } from '#engine';
import type { Request } from '../http/handler.ts';
import { Collection } from '#store/database';
import type { Group, StoredClient, StoredDomain, StoredList } from '#store/database/entities';
import type { ExplanationOutcome } from '#control/explain';
import { createExplainHandlers } from './explain.ts';

const explained: Explained = {
  decidedBy: 'nothing',
  client: { isAnswered: true, configured: '', foundBy: 'nothing', groups: [0], isBlocking: true },
  local: undefined,
  rules: { verdict: 'pass', row: 'pass', because: undefined, rules: [] },
  isSpecial: false,
  cache: undefined,
  upstream: undefined,
  targets: [],
  answer: undefined,
};

function scene(outcome: ExplanationOutcome, offline?: Explained) {
  const asked: Inquiry[] = [];
  const { getExplanation } = createExplainHandlers({
    explain: async ({ inquiry }) => {
      asked.push(inquiry);
      return outcome;
    },
    explainOffline: async () => offline,
    lines: async () => [],
    known: () => ({
      read: {
        groups: new Collection<Group>('groups', ({ name }) => name, []),
        domains: new Collection<StoredDomain>('domains', ({ domain }) => domain, []),
        lists: new Collection<StoredList>('lists', ({ address: list }) => list, []),
        clients: new Collection<StoredClient>('clients', ({ client }) => client, []),
      },
      pauses: [],
      blocking: { blocking: true, timer: null },
      nowSeconds: 0,
    }),
  });
  const ask = async (query: Request<'getExplanation'>['query'], address = '192.0.2.9') => {
    const from = {
      address,
      userAgent: null,
      isTls: false,
      peer: '127.0.0.1',
      httpVersion: '1.1',
      method: 'GET',
      headers: [],
      hasSid: false,
    };
    return getExplanation({
      params: {},
      query,
      body: undefined,
      caller: undefined,
      ifMatch: undefined,
      from: () => from,
    });
  };
  return { asked, ask };
}

const fine: ExplanationOutcome = { kind: 'explained', worker: 'dns1', explained };
function textOf(outcome: unknown): string {
  return JSON.stringify(outcome);
}

describe('explanations by the API', () => {
  const clients: readonly (readonly [string, string | undefined, string, string])[] = [
    ['the caller', undefined, '192.0.2.9', '00000000000000000000ffffc0000209'],
    ['a caller on this machine', undefined, 'local', '00000000000000000000ffff7f000001'],
    ['a link-local address without its zone', undefined, 'fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['an address', 'FD00::5', '192.0.2.9', 'fd000000000000000000000000000005'],
    ['a range', '10.1.0.0/16', '192.0.2.9', '00000000000000000000ffff0a010000'],
  ];
  for (const [title, client, address, bytes] of clients)
    it(`are made for ${title}`, async () => {
      const { asked, ask } = scene(fine);
      await ask({ domain: 'a.example', ...(client !== undefined && { client }) }, address);
      assert.equal(Buffer.from(asked[0]?.client ?? []).toString('hex'), bytes);
    });

  const traits: readonly (readonly [string, object])[] = [
    ['AA-BB-CC-DD-EE-FF', { mac: 'aa:bb:cc:dd:ee:ff' }],
    ['tablet.lan', { hostName: 'tablet.lan' }],
    [':eth0', { interface: 'eth0' }],
  ];
  for (const [client, wanted] of traits)
    it(`are made for the client ${client}`, async () => {
      const { asked, ask } = scene(fine);
      await ask({ domain: 'a.example', client });
      assert.deepEqual(asked[0]?.traits, wanted);
    });

  const names: readonly (readonly [string, string, string])[] = [
    ['.', '.', '00'],
    ['Bücher.example', 'xn--bcher-kva.example', '0d786e2d2d62636865722d6b7661076578616d706c6500'],
    ['My\\032Printer.lan', 'my\\032printer.lan', '0a6d79207072696e746572036c616e00'],
    ['a\\.b.lan.', 'a\\.b.lan', '03612e62036c616e00'],
    ['-a-.lan', '-a-.lan', '032d612d036c616e00'],
  ];
  for (const [domain, shown, bytes] of names)
    it(`are made for the name ${domain}`, async () => {
      const { asked, ask } = scene(fine);
      assert.match(textOf(await ask({ domain })), new RegExp(RegExp.escape(JSON.stringify(shown)), 'u'));
      assert.equal(Buffer.from(asked[0]?.name ?? []).toString('hex'), bytes);
    });

  const refused: readonly (readonly [string, Request<'getExplanation'>['query']])[] = [
    ['invalidDomain', { domain: 'a..b' }],
    ['invalidDomain', { domain: 'a b' }],
    ['invalidDomain', { domain: '*.a.example' }],
    ['invalidDomain', { domain: 'https://a.example/' }],
    ['invalidDomain', { domain: 'a\\256.example' }],
    ['unknownType', { domain: 'a.b', type: 'WHAT' }],
    ['unknownType', { domain: 'a.b', type: '' }],
    ['invalidClient', { domain: 'a.b', client: '10.0.0.0/99' }],
    ['invalidClient', { domain: 'a.b', client: '' }],
  ];
  for (const [failure, query] of refused)
    it(`are refused: ${failure} ${JSON.stringify(query)}`, async () => {
      const outcome = await scene(fine).ask(query);
      assert.equal('failure' in outcome && outcome.failure, failure);
    });

  it('come from the stored policy when no dns worker runs, or fail without a policy', async () => {
    assert.match(
      textOf(await scene({ kind: 'unavailable' }, explained).ask({ domain: 'a.b' })),
      /DNS is not answered now/u,
    );
    assert.match(textOf(await scene({ kind: 'unavailable' }).ask({ domain: 'a.b' })), /"unavailable"/u);
    assert.match(textOf(await scene({ kind: 'busy' }).ask({ domain: 'a.b' })), /"tooManyRequests"/u);
  });

  it('run four at once; a fifth is refused until one has ended', async () => {
    const { ask } = scene(fine);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => ask({ domain: 'a.b' })));
    const kinds = outcomes.map((outcome) => ('failure' in outcome ? outcome.failure : outcome.status));
    assert.deepEqual(kinds, [200, 200, 200, 200, 'tooManyRequests']);
    assert.ok('status' in (await ask({ domain: 'a.b' })));
  });
});
