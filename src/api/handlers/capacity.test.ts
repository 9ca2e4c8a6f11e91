// The limits of user-created entries, at their edges, with concurrent requests: each alone would be within
// the limit, but only one may succeed. An undo cannot exceed a limit either.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { limits, type Failure } from '#contract';
import { type ChangeScope, openStorage, type Storage } from '#store/database';
import { domainTable, findLists, groupTable, listTable } from '#store/database/entities';
import { createDomainHandlers } from './domains.ts';
import { createGroupHandlers } from './groups.ts';
import { createListHandlers } from './lists.ts';
import { undoItems } from './undo.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-room-'));
after(() => rmSync(root, { recursive: true }));

const context = { caller: undefined, from: assert.fail, ifMatch: undefined };
const fields = { comment: null, enabled: true, groups: [0], group_expiry: {}, expires_at: null };

async function open(): Promise<Storage> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

async function changed<T>({ change }: Storage, work: (scope: ChangeScope) => Promise<T>): Promise<T> {
  const outcome = await change('me', work);
  return outcome.ok ? outcome.value : assert.fail(outcome.problem);
}

/** Counts the outcomes: a status, or the name of a failure. */
async function tally(replies: readonly (object | Promise<object>)[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const waiting of replies) {
    const reply = await waiting;
    const key = String('failure' in reply ? reply.failure : 'status' in reply ? reply.status : '');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const many = [1, 2, 3, 4, 5];

/** Undoes the newest change; returns why it was refused. */
async function undoLast(storage: Storage): Promise<string> {
  const [revision] = await storage.revisions.list(1, undefined);
  assert.ok(revision);
  const failure = await changed(storage, (scope) => undoItems(scope, [revision], storage.read));
  return hintOf(failure);
}

function hintOf(failure: Failure | undefined): string {
  return typeof failure?.hint === 'string' ? failure.hint : '';
}

describe('entries of a collection', () => {
  const type = 'block';
  const added_with = 'sudo';
  const addressOf = (at: number | string): string => `https://lists.example/${at}`;
  const fill = async (free: number): Promise<Storage> => {
    const storage = await open();
    await changed(storage, async (scope) => {
      for (let at = storage.read.lists.size; at < limits.lists - free; at++)
        await listTable.insert(scope, { address: addressOf(at), type, added_with, ...fields });
    });
    return storage;
  };

  it('stay within the limit with concurrent requests', async () => {
    const storage = await fill(2);
    const { createLists, putList } = createListHandlers(storage);
    const query = { type } as const;
    const posts = many.map((at) =>
      createLists({ params: {}, query, body: { address: addressOf(`post-${at}`) }, ...context }),
    );
    assert.deepEqual(await tally(posts), { 201: 2, collectionFull: 3 });
    await changed(storage, async (scope) => {
      const found = await findLists(scope, { address: addressOf('post-1'), type });
      for (const list of found) await listTable.remove(scope, list);
    });
    const puts = many.map((at) =>
      putList({ params: { list: addressOf(`put-${at}`) }, query, body: {}, ...context }),
    );
    assert.deepEqual(await tally(puts), { 200: 1, collectionFull: 4 });
    assert.equal(storage.read.lists.size, limits.lists);
    await storage.close();
  });

  it('stay within the limit when a deletion is undone', async () => {
    const storage = await fill(0);
    const [found] = await changed(storage, (scope) => findLists(scope, { address: addressOf(9), type }));
    assert.ok(found);
    await changed(storage, (scope) => listTable.remove(scope, found));
    const [deletion] = await storage.revisions.list(1, undefined);
    await changed(storage, (scope) =>
      listTable.insert(scope, { address: addressOf('another'), type, added_with, ...fields }),
    );
    assert.ok(deletion !== undefined);
    const again = (): Promise<string | undefined> =>
      changed(storage, async (scope) => (await undoItems(scope, [deletion], storage.read))?.failure);
    assert.equal(await again(), 'notUndoable');
    await undoLast(storage);
    assert.equal(await again(), undefined);
    assert.equal(storage.read.lists.size, limits.lists);
    await storage.close();
  });
});

describe('windows of all groups', () => {
  it('stay within the limit with concurrent requests and with an undo', async () => {
    const storage = await open();
    const sent = { days: ['mon'], from: '10:00', until: '11:00', time_zone: 'UTC' };
    const { putGroup } = createGroupHandlers({ ...storage, nowSeconds: () => 0, systemZone: () => 'UTC' });
    const put = (name: string, count: number) =>
      putGroup({
        params: { name },
        query: {},
        body: { schedules: Array.from({ length: count }, () => sent) },
        ...context,
      });
    const each = limits.schedulesPerGroup;
    for (let at = 0; at < limits.schedules / each - 1; at++) await put(`full ${at}`, each);
    await changed(storage, async (scope) => {
      for (const at of many) await groupTable.insert(scope, { name: `g${at}`, comment: null, enabled: true });
    });
    const replies = many.map((at) => put(`g${at}`, each));
    assert.deepEqual(await tally(replies), { 200: 1, invalidSchedule: 4 });
    assert.deepEqual(await tally([await put('g1', 0)]), { 200: 1 });
    const [removal] = await storage.revisions.list(1, undefined);
    assert.deepEqual(await tally([await put('g2', 1)]), { 200: 1 });
    assert.ok(removal !== undefined);
    const refused = await changed(storage, (scope) => undoItems(scope, [removal], storage.read));
    assert.match(hintOf(refused), /1000 windows/u);
    await storage.close();
  });
});

describe('rules', () => {
  const place = (domain: string, kind: 'exact' | 'regex') => ({ domain, type: 'deny' as const, kind });

  it('that are expressions stay within the limit of the dns workers', async () => {
    const storage = await open();
    const { createDomains, putDomain } = createDomainHandlers(storage);
    await changed(storage, async (scope) => {
      for (let at = 10; at < 25; at++)
        await domainTable.insert(scope, { ...place(`^${at}${'a'.repeat(1900)}$`, 'regex'), ...fields });
    });
    const params = { type: 'deny', kind: 'regex' } as const;
    const create = (domain: string) => createDomains({ params, query: {}, body: { domain }, ...context });
    const posts = many.map((at) => create(`^x${at}${'b'.repeat(900)}$`));
    assert.deepEqual(await tally(posts), { 201: 1, collectionFull: 4 });
    const made = storage.read.domains.filter(({ domain }) => domain.startsWith('^x'));
    const [{ domain } = place('', 'regex')] = made;
    const same = putDomain({ params: { ...params, domain }, query: {}, body: { comment: 'x' }, ...context });
    assert.deepEqual(await tally([await same]), { 200: 1 }, 'an existing rule does not count twice');
    const moved = { params: { ...params, type: 'allow' as const, domain }, query: {}, ...context };
    assert.deepEqual(await tally([await putDomain({ ...moved, body: { type: 'deny', kind: 'regex' } })]), {
      200: 1,
    });
    const found = await changed(storage, (scope) =>
      domainTable.find(scope, { ...place(domain, 'regex'), type: 'allow' }),
    );
    assert.ok(found);
    await changed(storage, (scope) => domainTable.remove(scope, found));
    const [deletion] = await storage.revisions.list(1, undefined);
    assert.deepEqual(await tally([await create(`^y${'b'.repeat(900)}$`)]), { 201: 1 });
    assert.ok(deletion !== undefined);
    const refused = await changed(storage, (scope) => undoItems(scope, [deletion], storage.read));
    assert.match(hintOf(refused), /All expressions together/u);
    await storage.close();
  });

  it('about one name stay within the limit of rules in force', async () => {
    const storage = await open();
    const { createDomains } = createDomainHandlers(storage);
    const ruleOf = (at: number): string => `a.example;reply=10.0.${at >> 8}.${at & 255}`;
    await changed(storage, async (scope) => {
      for (let at = 0; at < limits.rulesPerName - 1; at++)
        await domainTable.insert(scope, { ...place(ruleOf(at), 'exact'), ...fields });
    });
    const params = { type: 'deny', kind: 'exact' } as const;
    const create = (domain: string) => createDomains({ params, query: {}, body: { domain }, ...context });
    const posts = many.map((at) => create(`*.${ruleOf(2000 + at)}`));
    assert.deepEqual(await tally(posts), { 201: 1, collectionFull: 4 });
    assert.deepEqual(await tally([await create('b.example;reply=10.0.0.1')]), { 201: 1 });
    await storage.close();
  });

  it('are the same rule for any order and case of extensions', async () => {
    const storage = await open();
    const { createDomains, getDomain, deleteDomain: remove } = createDomainHandlers(storage);
    for (const [kind, texts] of [
      ['exact', ['ads.example;important', 'ads.example;IMPORTANT', 'ADS.example;Important']],
      ['regex', ['^ads;querytype=A;invert', '^ads;INVERT;querytype=a', '^ads;Invert;QueryType=A']],
    ] as const) {
      const [first = '', second = '', third = ''] = texts;
      const params = { type: 'deny', kind } as const;
      const create = (domain: string) => createDomains({ params, query: {}, body: { domain }, ...context });
      const one = (domain: string) => ({
        params: { ...params, domain },
        query: {},
        body: undefined,
        ...context,
      });
      assert.deepEqual(await tally([await create(second), await create(first)]), { 201: 1, duplicate: 1 });
      assert.deepEqual(await tally([await getDomain(one(third))]), { 200: 1 });
      assert.deepEqual(await tally([await remove(one(third)), await remove(one(second))]), {
        204: 1,
        notFound: 1,
      });
    }
    await storage.close();
  });
});
