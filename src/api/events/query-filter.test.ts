import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryFilterOf, type QueryFilterInput } from './query-filter.ts';
import type { QueryRow } from './query-row.ts';

const row: QueryRow = {
  id: 1,
  time: 1,
  type: 'A',
  domain: 'ads.example.org',
  client: { ip: '10.0.0.5', name: 'pad.lan' },
  upstream: '192.0.2.1#53',
  status: 'FORWARDED',
  reply: { type: 'IP', time: 0 },
  list_id: null,
};
const blocked: QueryRow = { ...row, status: 'GRAVITY_CNAME', upstream: null };
const cached: QueryRow = { ...row, status: 'CACHE_STALE', upstream: null };
const nameless: QueryRow = { ...row, client: { ip: '10.0.0.5', name: null } };

describe('the query filter', () => {
  const table: readonly (readonly [QueryFilterInput, QueryRow, boolean])[] = [
    [{ domain: 'ADS.example.org' }, row, true],
    [{ domain: 'example.org' }, row, false],
    [{ domain: '*.example.*' }, row, true],
    [{ client: '10.0.0.*' }, row, true],
    [{ client: 'pad.lan' }, row, true],
    [{ client: 'pad.lan' }, nameless, false],
    [{ client: '10.0.0.6' }, row, false],
    [{ upstream: '192.0.2.1#53 (dns.example)' }, row, true],
    [{ upstream: '192.0.2.1' }, row, false],
    [{ upstream: 'Cache' }, cached, true],
    [{ upstream: '192.0.2.1*' }, blocked, false],
    [{ upstream: 'blocklist' }, blocked, true],
    [{ upstream: 'blocklist' }, row, false],
    [{ upstream: 'permitted' }, row, true],
    [{ upstream: 'permitted' }, blocked, false],
    [{ upstream: 'cache' }, cached, true],
    [{ upstream: 'cache' }, row, false],
    [{ status: 'gravity_cname' }, blocked, true],
    [{ status: 'GRAVITY' }, blocked, false],
    [{ domain: '*.org', client: 'pad.lan' }, row, true],
    [{ domain: '*.org', client: 'tv.lan' }, row, false],
  ];
  for (const [input, query, isWanted] of table)
    it(`${JSON.stringify(input)} ${isWanted ? 'matches' : 'does not match'} a query ${query.status}`, () =>
      assert.equal(queryFilterOf(input)?.matches(query), isWanted));

  it('is undefined for all queries, and has the same key for equal input', () => {
    assert.equal(queryFilterOf({}), undefined);
    const key = (input: QueryFilterInput): string | undefined => queryFilterOf(input)?.key;
    assert.equal(key({ domain: 'A.example' }), key({ domain: 'a.EXAMPLE' }));
    assert.notEqual(key({ domain: 'a.example' }), key({ client: 'a.example' }));
  });
});
