// Own rules for some clients, through the handlers: the groups they get, warnings, bad values and limits.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { limits } from '#contract';
import { openStorage, type Storage } from '#store/database';
import { clientTable, groupTable } from '#store/database/entities';
import { createDomainHandlers } from './domains.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-rule-clients-'));
after(() => rmSync(root, { recursive: true }));

const context = { caller: undefined, from: assert.fail, ifMatch: undefined, query: {} };
const params = { type: 'allow', kind: 'exact' } as const;
let storage: Storage;
before(async () => {
  const opened = await openStorage({ dataDir: root, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  storage = typeof opened === 'string' ? assert.fail(opened) : opened;
  await storage.change('me', async (scope) => {
    await groupTable.insert(scope, { name: 'Children', comment: null, enabled: true });
    await clientTable.insert(scope, { client: '10.0.0.5', comment: 'Pad', groups: [1], group_expiry: {} });
  });
});
after(() => storage.close());

function create(body: { domain: string; groups?: number[]; expires_at?: number }) {
  return createDomainHandlers(storage).createDomains({ ...context, params, body });
}

describe('a rule for some clients', () => {
  const cases: readonly (readonly [text: string, stored: string, groups: readonly number[]])[] = [
    ['plain.example', 'plain.example', [0]],
    ['a.example;client=10.0.0.5', 'a.example;client=10.0.0.5', [0, 1]],
    ['b.example;client=!10.0.0.5', 'b.example;client=!10.0.0.5', [0]],
    ['c.example;client=10.0.0.0/8,~pad', 'c.example;client=10.0.0.0/8,~pad', [0, 1]],
  ];
  for (const [text, stored, groups] of cases)
    it(`${text} is stored as ${stored} for the groups ${groups.join(', ')}`, async () => {
      const reply = await create({ domain: text, expires_at: 1_700_003_600 });
      assert.ok('body' in reply && 'domains' in reply.body, JSON.stringify(reply));
      const [made] = reply.body.domains;
      assert.deepEqual([made?.domain, made?.groups, made?.expires_at], [stored, groups, 1_700_003_600]);
    });

  it('has the groups that the request names, and a PUT keeps them', async () => {
    const domain = 'd.example;client=pad';
    const reply = await create({ domain, groups: [1] });
    assert.ok('body' in reply && 'domains' in reply.body);
    assert.deepEqual(reply.body.domains[0]?.groups, [1]);
    const { putDomain } = createDomainHandlers(storage);
    const put = await putDomain({ ...context, params: { ...params, domain }, body: { comment: 'x' } });
    assert.ok('body' in put && 'domains' in put.body);
    assert.deepEqual(put.body.domains[0]?.groups, [1]);
    const added = await putDomain({
      ...context,
      params: { ...params, domain: 'e.example;client=pad' },
      body: {},
    });
    assert.ok('body' in added && 'domains' in added.body);
    assert.deepEqual(added.body.domains[0]?.groups, [0, 1]);
  });

  it('gets no group that another request removes at the same time', async () => {
    const added = await storage.change('me', (scope) =>
      groupTable.insert(scope, { name: 'Short', comment: null, enabled: true }),
    );
    const group = added.ok ? added.value : undefined;
    assert.ok(group);
    const removed = storage.change('me', (scope) => groupTable.remove(scope, group));
    const reply = await create({ domain: 'race.example;client=pad' });
    await removed;
    assert.ok('body' in reply && 'domains' in reply.body, JSON.stringify(reply));
    assert.deepEqual(reply.body.domains[0]?.groups, [0, 1]);
  });

  it('is warned of when no client has its id', async () => {
    const warningsOf = async (domain: string) => {
      const reply = await create({ domain });
      assert.ok('body' in reply && 'processed' in reply.body, JSON.stringify(reply));
      return reply.body.processed.warnings;
    };
    assert.equal(await warningsOf('f.example;client=1'), undefined);
    assert.deepEqual(await warningsOf('f.example;client=1,~77'), [
      {
        item: 'f.example;client=1,~77',
        warning: 'No configured client has the id 77; GET /api/clients lists them.',
      },
    ]);
  });

  it('is refused with the position of a bad client', async () => {
    const reply = await create({ domain: 'g.example;client=pad,10.0.0.256' });
    assert.ok('failure' in reply);
    assert.equal(reply.failure, 'invalidDomain');
    assert.match(
      JSON.stringify(reply.hint),
      /10\.0\.0\.256\\" is no client; accepted are .*, at character 22 of g\./,
    );
  });
});

it('all rules together name as many clients as the limit says; the same clients count once', async () => {
  const { createDomains, batchDeleteDomains } = createDomainHandlers(storage);
  const all = storage.read.domains.filter(() => true);
  const body = all.map(({ domain: item, type, kind }) => ({ item, type, kind }));
  await batchDeleteDomains({ ...context, params: {}, body });
  const create500 = (name: string, first: number, count = 500) => {
    const clients = Array.from({ length: count }, (_, at) => `c${first + at}`).join();
    return createDomains({ ...context, params, body: { domain: `${name};client=${clients}` } });
  };
  for (let first = 0; first < limits.maxRuleClients; first += 500) {
    const reply = await create500(`n${first}.example`, first);
    assert.ok('status' in reply && reply.status === 201);
  }
  const refused = await create500('more.example', 5000, 1);
  assert.match('failure' in refused ? JSON.stringify(refused.hint) : '', /may name 2000 clients/);
  const same = await create500('same.example', 0);
  assert.ok('status' in same && same.status === 201);
});
