import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, type TestContext } from 'node:test';
import { openStorage, type Storage } from '#store/database';
import { listTable, reportList } from '#store/database/entities';
import { createListCopiesHandlers } from './list-copies.ts';
import { createListHandlers } from './lists.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-list-handlers-'));
after(() => rmSync(root, { recursive: true }));

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}
const context = { caller: undefined, from: assert.fail, ifMatch: undefined };

it('the ETag of a list changes with settings and updates, and If-Match compares settings', async () => {
  const storage = await open(mkdtempSync(join(root, 'tags-')));
  const place = { address: 'https://lists.example/hosts', type: 'block', added_with: 'sudo' } as const;
  const fields = { comment: null, enabled: true, groups: [0], group_expiry: {} };
  const made = await storage.change('me', (scope) => listTable.insert(scope, { ...place, ...fields }));
  assert.ok(made.ok && made.value);
  const { value } = made;
  const { getList, patchList } = createListHandlers(storage);
  const tag = async (): Promise<string | undefined> => {
    const reply = await getList({ params: { list: place.address }, query: {}, body: undefined, ...context });
    return 'status' in reply ? reply.headers?.['etag'] : undefined;
  };
  const first = await tag();
  assert.match(String(first), /^"[^"]+"$/);
  await storage.change('lists', (scope) => reportList(scope, value.id, { status: 1, number: 5 }));
  assert.notEqual(await tag(), first);
  const patch = async () => {
    const params = { list: place.address };
    const sent = { ...context, params, query: { type: place.type }, body: { comment: 'again' } };
    const reply = await patchList({ ...sent, ifMatch: first });
    return 'status' in reply ? reply.status : reply.failure;
  };
  assert.equal(await patch(), 200);
  await storage.change('me', (scope) =>
    listTable.update(scope, value, { ...value, ...fields, comment: 'said' }),
  );
  assert.equal(await patch(), 'preconditionFailed');
  await storage.close();
});

const masked = 'https://********@lists.example/hosts';
const first = 'https://ann:one@lists.example/hosts';
const second = 'https://bob:two@lists.example/hosts';
const query = { type: 'block' } as const;

/** Two lists that differ only in user and password, as an earlier version stored them. */
async function twoLists(t: TestContext): Promise<Storage> {
  const dataDir = mkdtempSync(join(root, 'two-'));
  await (await open(dataDir)).close();
  const database = new DatabaseSync(join(dataDir, 'sluice.db'));
  database.exec('delete from lists');
  const insert = database.prepare(
    'insert into lists (id, address, type, enabled, date_added, date_modified) ' +
      "values (?, ?, 'block', 1, 0, 0)",
  );
  insert.run(41, first);
  insert.run(42, second);
  database.close();
  const storage = await open(dataDir);
  t.after(() => storage.close());
  return storage;
}

function idsIn({ read }: Storage): number[] {
  return read.lists.filter(() => true).map(({ id }) => id);
}

function refusalOf(reply: unknown): unknown {
  assert.ok(typeof reply === 'object' && reply !== null && 'failure' in reply && 'hint' in reply);
  return [reply.failure, /^2 lists .* Use the id of .*: 41, 42\.$/u.test(String(reply.hint))];
}

describe('the masked address of two lists', () => {
  it('is refused by PUT, PATCH, DELETE and batchDelete, and both lists stay as they are', async (t) => {
    const storage = await twoLists(t);
    const { putList, patchList, deleteList, batchDeleteLists } = createListHandlers(storage);
    const one = { params: { list: masked }, query, ...context };
    const replies = [
      await putList({ ...one, body: { comment: 'changed' } }),
      await patchList({ ...one, body: { comment: 'changed' } }),
      await deleteList({ ...one, body: undefined }),
      await batchDeleteLists({
        params: {},
        query,
        body: [{ item: first }, { item: masked }, { item: second }],
        ...context,
      }),
    ];
    for (const reply of replies) assert.deepEqual(refusalOf(reply), ['ambiguousList', true]);
    assert.deepEqual(idsIn(storage), [41, 42]);
    assert.equal(storage.read.lists.filter(({ comment }) => comment === 'changed').length, 0);
  });

  it('is refused by the endpoints of copies', async (t) => {
    const { read } = await twoLists(t);
    const { getListCopies, useListCopy, acceptList } = createListCopiesHandlers({ read, lists: assert.fail });
    const one = { query, body: undefined, ...context };
    const params = { list: masked };
    const replies = [
      await getListCopies({ params, ...one }),
      await useListCopy({ params: { ...params, version: 1 }, ...one }),
      await acceptList({ params, ...one }),
    ];
    for (const reply of replies) assert.deepEqual(refusalOf(reply), ['ambiguousList', true]);
  });

  it('returns both lists with GET, without an ETag', async (t) => {
    const { getList } = createListHandlers(await twoLists(t));
    const reply = await getList({ params: { list: masked }, query: {}, body: undefined, ...context });
    assert.ok('status' in reply && typeof reply.body === 'object');
    assert.deepEqual([Object(reply.body).lists.length, reply.headers], [2, {}]);
  });
});

describe('one of two lists with the same masked address', () => {
  for (const [title, name] of [
    ['its exact address', second],
    ['its id', '42'],
  ] as const) {
    it(`is replaced, patched and removed by ${title}`, async (t) => {
      const storage = await twoLists(t);
      const { putList, patchList, deleteList } = createListHandlers(storage);
      const one = { params: { list: name }, query, ...context };
      const put = await putList({ ...one, body: { comment: 'put' } });
      assert.ok('status' in put, JSON.stringify(put));
      const patched = await patchList({ ...one, body: { enabled: false } });
      assert.ok('status' in patched, JSON.stringify(patched));
      const [list] = storage.read.lists.filter(({ id }) => id === 42);
      assert.deepEqual([list?.address, list?.comment, list?.enabled], [second, 'put', false]);
      assert.deepEqual(await deleteList({ ...one, body: undefined }), { status: 204 });
      assert.deepEqual(idsIn(storage), [41]);
    });

    it(`is removed by batchDelete with ${title}, also when it is named twice`, async (t) => {
      const storage = await twoLists(t);
      const { batchDeleteLists } = createListHandlers(storage);
      const body = [{ item: name }, { item: name }];
      assert.deepEqual(await batchDeleteLists({ params: {}, query, body, ...context }), { status: 204 });
      assert.deepEqual(idsIn(storage), [41]);
      assert.equal((await storage.revisions.list(10, undefined)).length, 1);
    });
  }

  it('is not found by its id with the other type, and an id is refused as an address', async (t) => {
    const storage = await twoLists(t);
    const { deleteList, createLists } = createListHandlers(storage);
    const other = { params: { list: '42' }, query: { type: 'allow' }, body: undefined } as const;
    const absent = await deleteList({ ...other, ...context });
    assert.ok('failure' in absent && absent.failure === 'notFound');
    const made = await createLists({ params: {}, query, body: { address: '42' }, ...context });
    assert.ok('failure' in made && made.failure === 'invalidAddress');
    assert.deepEqual(idsIn(storage), [41, 42]);
  });
});

describe('the password of an address', () => {
  const secret = 'https://me:hidden@lists.example/a';
  const refused: readonly (readonly [title: string, address: string])[] = [
    ['an address with a blank', 'https://me:hidden@lists.example/a b'],
    ['an address of another scheme', 'ftp://me:hidden@lists.example/a'],
    ['a text that is no URL', 'https://me:hidden@lists.example:port/a'],
    ['a file of another machine', 'file://me:hidden@lists.example/a'],
    ['an address that is too long', `https://me:hidden@lists.example/${'l'.repeat(2_048)}`],
  ];
  for (const [title, address] of refused) {
    it(`is masked in the refusal of ${title} by POST and PUT`, async (t) => {
      const { createLists, putList } = createListHandlers(await twoLists(t));
      const replies = [
        await createLists({ params: {}, query, body: { address }, ...context }),
        await putList({ params: { list: address }, query, body: {}, ...context }),
      ];
      for (const reply of replies) assertRefusedWithout(reply, 'hidden');
    });
  }

  it('is masked in `processed` of a duplicate PUT; `argument` is what was sent, as specified', async (t) => {
    const storage = await twoLists(t);
    const { createLists, putList } = createListHandlers(storage);
    await createLists({ params: {}, query, body: { address: 'https://me@lists.example/a' }, ...context });
    const reply = await putList({ params: { list: secret }, query, body: {}, ...context });
    assert.ok('failure' in reply && reply.failure === 'duplicate', JSON.stringify(reply));
    assert.equal(Object(reply.hint).argument, secret);
    assertRefusedWithout({ ...reply, hint: null }, 'hidden');
  });

  it('is masked when no list has the address', async (t) => {
    const storage = await twoLists(t);
    const { getList, patchList, deleteList } = createListHandlers(storage);
    const copies = createListCopiesHandlers({ read: storage.read, lists: assert.fail });
    const one = { params: { list: secret }, query, ...context };
    const empty = { ...one, body: undefined };
    const replies = [
      await getList(empty),
      await patchList({ ...one, body: {} }),
      await deleteList(empty),
      await copies.getListCopies(empty),
      await copies.useListCopy({ ...empty, params: { list: secret, version: 1 } }),
      await copies.acceptList(empty),
    ];
    for (const reply of replies) assertRefusedWithout(reply, 'hidden');
  });
});

function assertRefusedWithout(reply: object, secret: string): void {
  const text = JSON.stringify(reply);
  assert.ok('failure' in reply && text.includes('********@'), text);
  assert.ok(!text.includes(secret), text);
}
