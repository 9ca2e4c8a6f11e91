// Rules as an earlier version stored them, with extensions as the user typed them: their paths in the API
// still work for all operations.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openStorage, type Storage } from '#store/database';
import { type DomainKey, domainTable } from '#store/database/entities';
import { storedKeys } from './domain-key.ts';
import { createDomainHandlers } from './domains.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-spelling-'));
after(() => rmSync(root, { recursive: true }));

const context = { caller: undefined, from: assert.fail, ifMatch: undefined };
const fields = { comment: null, enabled: true, groups: [0], group_expiry: {}, expires_at: null };
const earlier: readonly (DomainKey & { readonly now: string })[] = [
  { domain: 'ads.example;IMPORTANT', type: 'deny', kind: 'exact', now: 'ads.example;important' },
  {
    domain: '*.ads.example;querytype=aaaa,A',
    type: 'allow',
    kind: 'exact',
    now: '*.ads.example;querytype=A,AAAA',
  },
  { domain: '^ads;Invert', type: 'deny', kind: 'regex', now: '^ads;invert' },
];

async function open(keys: readonly DomainKey[]): Promise<Storage> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  for (const key of keys)
    await storage
      .change('me', (scope) => domainTable.insert(scope, { ...key, ...fields }))
      .then(({ ok }) => assert.ok(ok));
  return storage;
}

function textsIn({ read }: Storage): string[] {
  return read.domains.filter(() => true).map(({ domain }) => domain);
}

describe('a rule that an earlier version stored', () => {
  for (const { now, ...params } of earlier) {
    it(`is found, changed and deleted by its path: ${params.domain}`, async () => {
      const storage = await open([params]);
      const handlers = createDomainHandlers(storage);
      const got = await handlers.getDomain({ ...context, query: {}, body: undefined, params });
      assert.equal('status' in got && got.status, 200);
      const patched = await handlers.patchDomain({
        ...context,
        query: {},
        params,
        body: { comment: 'seen' },
      });
      assert.equal('status' in patched && patched.status, 200);
      assert.deepEqual(textsIn(storage), [params.domain], 'a patch does not change the key');
      const put = await handlers.putDomain({ ...context, query: {}, params, body: { comment: 'again' } });
      assert.equal('status' in put && put.status, 200);
      assert.deepEqual(textsIn(storage), [now], 'a PUT stores the form of today');
      const removed = await handlers.deleteDomain({ ...context, query: {}, body: undefined, params });
      assert.equal('status' in removed && removed.status, 204);
      assert.deepEqual(textsIn(storage), []);
      await storage.close();
    });

    it(`is deleted by its text, and not the same rule in today's form: ${params.domain}`, async () => {
      const storage = await open([params, { ...params, domain: now }]);
      const body = [{ item: params.domain, type: params.type, kind: params.kind }];
      const handlers = createDomainHandlers(storage);
      const removed = await handlers.batchDeleteDomains({ ...context, query: {}, params: {}, body });
      assert.equal('status' in removed && removed.status, 204);
      assert.deepEqual(textsIn(storage), [now]);
      await storage.close();
    });
  }

  it('has one key when both forms are equal', () => {
    const keys = storedKeys({ domain: 'ADS.example', type: 'deny', kind: 'exact' });
    assert.deepEqual(keys, [{ domain: 'ads.example', type: 'deny', kind: 'exact' }]);
  });
});
