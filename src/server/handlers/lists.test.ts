import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { insertList, reportList, updateList } from '../storage/lists.ts';
import { openStorage } from '../storage/storage.ts';
import { createListHandlers } from './lists.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sluice-list-tags-'));
after(() => rmSync(dataDir, { recursive: true }));

it('the ETag of a list changes with its settings, not with updates', async () => {
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onBroken: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  const place = { address: 'https://lists.example/hosts', type: 'block', added_with: 'sudo' } as const;
  const fields = { comment: null, enabled: true, groups: [0], group_expiry: {} };
  const made = await storage.change('me', (scope) => insertList(scope, place, fields));
  assert.ok(made.ok && made.value);
  const { value } = made;
  const { getList } = createListHandlers(storage);
  const context = { caller: undefined, from: assert.fail, ifMatch: undefined, body: undefined };
  const tag = async (): Promise<string | undefined> => {
    const reply = await getList({ params: { list: place.address }, query: {}, ...context });
    return 'status' in reply ? reply.headers?.['etag'] : undefined;
  };
  const first = await tag();
  assert.match(String(first), /^"[^"]+"$/);
  await storage.change('lists', (scope) => reportList(scope, value.id, { status: 1, number: 5 }));
  assert.equal(await tag(), first);
  await storage.change('me', (scope) => updateList(scope, value, { ...fields, comment: 'said' }));
  assert.notEqual(await tag(), first);
  await storage.close();
});
