// Which addresses lists may be fetched from, by their rights. The servers are real and on loopback;
// test/dns/list-reach.test.ts covers public addresses, in a network namespace.

import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { AddressScope } from './address-scope.ts';
import { fetchList, nothingKnown, type FetchOptions } from './fetch-list.ts';
import type { FetchOutcome } from '../fetch-outcome.ts';
import { guardedLookup, mayReach, type Reach } from './list-reach.ts';
import { listServer, temporaryFolder, testLimits } from '#testing/lists/list-scene';

const scopes: readonly AddressScope[] = ['public', 'private', 'local'];

describe('a list', () => {
  const rows: readonly (readonly [Reach, readonly AddressScope[]])[] = [
    [{ rights: 'limited', allowLocal: false }, ['public']],
    [{ rights: 'limited', allowLocal: true }, ['public']],
    [{ rights: 'sudo', allowLocal: false }, ['public', 'private']],
    [{ rights: 'sudo', allowLocal: true }, scopes],
    [{ rights: 'earlier', allowLocal: false }, ['public', 'private']],
    [{ rights: 'earlier', allowLocal: true }, scopes],
  ];
  for (const [reach, reached] of rows)
    it(`with rights ${reach.rights} and allowLocal ${reach.allowLocal} reaches ${reached.join(', ')}`, () =>
      assert.deepEqual(
        scopes.filter((scope) => mayReach(reach, scope)),
        reached,
      ));
});

/** The outcome of fetching a list on loopback by this host, and how many requests its server got. */
async function fetchFrom(
  t: TestContext,
  host: string,
  rights: Reach['rights'],
  change: Partial<FetchOptions> = {},
): Promise<{ readonly outcome: FetchOutcome; readonly requests: number }> {
  let requests = 0;
  const base = await listServer(t, {
    '/list': (_request, response) => {
      requests++;
      response.end('ads.example\n');
    },
  });
  const address = `http://${host}:${new URL(base).port}/list`;
  const outcome = await fetchList(
    { address, rights, known: nothingKnown, draftPath: `${temporaryFolder(t)}/draft` },
    {
      userAgent: 'sluice/test',
      signal: new AbortController().signal,
      limits: testLimits,
      allowLocal: () => false,
      ...change,
    },
  );
  return { outcome, requests };
}

const leadsTo =
  (...found: LookupAddress[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(null, found);
const loopback = { address: '127.0.0.1', family: 4 };

describe('a list on loopback', () => {
  const hosts = ['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f.1', '0.0.0.0', '[::ffff:127.0.0.1]'];
  for (const host of hosts) {
    it(`is not fetched from ${host} without lists.allowLocal, whatever its rights`, async (t) => {
      for (const rights of ['limited', 'sudo', 'earlier'] as const) {
        const { outcome, requests } = await fetchFrom(t, host, rights);
        assert.ok(outcome.kind === 'failed', outcome.kind);
        assert.match(outcome.reason, /leads to a loopback or link-local address.* lists\.allowLocal /);
        assert.equal(/added without sudo/.test(outcome.reason), rights === 'limited', outcome.reason);
        assert.deepEqual([outcome.isWorthRetrying, outcome.isOutOfReach, requests], [false, true, 0]);
      }
    });
  }

  it('is not fetched by a name that resolves to loopback', async (t) => {
    const { outcome, requests } = await fetchFrom(t, 'lists.example', 'limited', {
      lookup: leadsTo(loopback),
    });
    assert.ok(outcome.kind === 'failed' && /loopback/.test(outcome.reason));
    assert.equal(requests, 0);
  });

  for (const rights of ['sudo', 'earlier'] as const) {
    it(`is fetched with lists.allowLocal and rights ${rights}`, async (t) => {
      const { outcome, requests } = await fetchFrom(t, '127.0.0.1', rights, { allowLocal: () => true });
      assert.deepEqual([outcome.kind, requests], ['changed', 1]);
    });
  }
});

describe('a lookup for a list without sudo', () => {
  const url = new URL('http://lists.example/list');
  const near = { address: '192.168.1.1', family: 4 };
  const far = { address: '203.0.113.1', family: 4 };
  const look = (options: { readonly all: boolean }, ...found: LookupAddress[]): Promise<unknown> =>
    new Promise((resolve) => {
      const lookup = guardedLookup(url, { rights: 'limited', allowLocal: true }, leadsTo(...found));
      lookup('lists.example', options, (error, address) => resolve(error?.message ?? address));
    });

  it('returns only the public addresses', async () => {
    assert.deepEqual(await look({ all: true }, loopback, far, near), [far]);
    assert.equal(await look({ all: false }, near, far), far.address);
  });

  it('fails without a public address, with a message that does not show the address found', async () => {
    const message = String(await look({ all: true }, near));
    assert.match(
      message,
      /^http:\/\/lists\.example\/list: this leads to a private address, which a list added/,
    );
    assert.ok(!message.includes(near.address), message);
  });

  it('passes the error of an unknown name through', async () => {
    const unknown: LookupFunction = (_name, _options, callback) => callback(new Error('unknown name'), []);
    const lookup = guardedLookup(url, { rights: 'limited', allowLocal: false }, unknown);
    const error = await new Promise((resolve) => lookup('lists.example', { all: true }, resolve));
    assert.ok(error instanceof Error && error.message === 'unknown name');
  });
});

describe('a list in a file', () => {
  it('is read when an earlier version added it', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(`${folder}/list.txt`, 'ads.example\n');
    const address = `file://${folder}/list.txt`;
    const outcome = await fetchList(
      { address, rights: 'earlier', known: nothingKnown, draftPath: `${folder}/draft` },
      { userAgent: '', signal: new AbortController().signal, allowLocal: () => false },
    );
    assert.equal(outcome.kind, 'changed');
  });

  it('is not read when it was added without sudo', async (t) => {
    const outcome = await fetchList(
      {
        address: 'file:///etc/hosts',
        rights: 'limited',
        known: nothingKnown,
        draftPath: `${temporaryFolder(t)}/d`,
      },
      { userAgent: '', signal: new AbortController().signal, allowLocal: () => true },
    );
    assert.ok(outcome.kind === 'failed' && /only when it was added with sudo/.test(outcome.reason));
  });
});
