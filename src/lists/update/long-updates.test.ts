// What happens during an update that takes long because a server is slow.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ListServiceParts, UpdateResult } from './list-service.ts';
import { listServer, temporaryFolder, testUpdater, textPage, type Page } from '#testing/lists/list-scene';
import { newList, serviceScene, type ServiceScene } from '#testing/lists/service-scene';

interface LongUpdate {
  readonly scene: ServiceScene;
  readonly base: string;
  /** Lets the slow server answer, and waits for the end of the update. */
  readonly end: () => Promise<readonly [readonly string[], UpdateResult]>;
}

/** An update of list 1 that waits for its server until `end` is called. */
async function longUpdate(
  t: TestContext,
  pages: Readonly<Record<string, Page>> = {},
  change: Partial<ListServiceParts> = {},
): Promise<LongUpdate> {
  const [requested, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: Page = (_request, response) => {
    requested.resolve();
    void answer.promise.then(() => response.end('late.example\n'));
  };
  const base = await listServer(t, { '/slow': slow, ...pages });
  const scene = await serviceScene(t, { earlyBuildMs: 30, ...change });
  scene.lists.push(newList(1, `${base}/slow`));
  const update = readAll(scene);
  await requested.promise;
  const end: LongUpdate['end'] = () => {
    answer.resolve();
    return update;
  };
  return { scene, base, end };
}

async function readAll({ service }: ServiceScene): Promise<readonly [readonly string[], UpdateResult]> {
  const reader = service.update().read();
  const texts: string[] = [];
  for (;;) {
    const next = await reader.next();
    if (next.done === true) return [texts, next.value];
    texts.push(next.value);
  }
}

describe('a long update', () => {
  it('does not delay a new list, even when all parallel fetches are in use', async (t) => {
    const folder = temporaryFolder(t);
    const patience = { patienceMs: 60_000, beside: 0 };
    const { updater } = await testUpdater(join(folder, 'lists'), { parallel: 1, patience });
    const base = await listServer(t, { '/never': () => undefined, '/new': textPage('new.example\n') });
    const scene = await serviceScene(t, { updater }, folder);
    scene.lists.push(newList(1, `${base}/never`));
    scene.service.update();
    const added = newList(2, `${base}/new`);
    scene.lists.push(added);
    scene.service.applyChange(null, added);
    await scene.until('it is in force', () => scene.isBlocked('new.example'));
  });

  it('records and applies each list when it arrives', async (t) => {
    const second = Promise.withResolvers<void>();
    const base = await listServer(t, {
      '/1': textPage('one.example\n'),
      '/2': (_request, response) => void second.promise.then(() => response.end('two.example\n')),
      '/never': () => undefined,
    });
    const scene = await serviceScene(t, { earlyBuildMs: 30 });
    for (const [at, page] of ['1', '2', 'never'].entries())
      scene.lists.push(newList(at + 1, `${base}/${page}`));
    scene.service.update();
    await scene.until('the first is blocked', () => scene.isBlocked('one.example'));
    assert.deepEqual([scene.lists[0]?.status, scene.lists[0]?.number], [1, 1]);
    second.resolve();
    await scene.until('the second is blocked', () => scene.isBlocked('two.example'));
    assert.deepEqual(
      scene.lists.map(({ status }) => status),
      [1, 1, 0],
    );
  });

  it('includes lists that were added meanwhile', async (t) => {
    const pages = { '/new': textPage('new.example\n') };
    const { scene, base, end } = await longUpdate(t, pages, { updateHours: () => 0 });
    scene.lists.push(newList(2, `${base}/new`));
    const joined = readAll(scene);
    const [, { lists }] = await end();
    assert.deepEqual([(await joined)[1].lists, lists.map(({ status }) => status)], [lists, [1, 1]]);
    assert.equal(await scene.isBlocked('new.example'), true);
  });

  it('does not delay a list in a file', async (t) => {
    const pages = { '/never': (): void => undefined };
    const { scene, base, end } = await longUpdate(t, pages);
    for (const id of [2, 3, 4, 5, 6]) {
      const list = newList(id, `${base}/never?${id}`);
      scene.lists.push(list);
      scene.service.applyChange(null, list);
    }
    scene.service.applyChange(null, scene.add('near.example\n'));
    await scene.until('the list in a file blocks', () => scene.isBlocked('near.example'));
    assert.equal(scene.lists[0]?.status, 0);
    await end();
  });

  it('reports nothing about a list that was deleted meanwhile', async (t) => {
    const { scene, end } = await longUpdate(t);
    const [list] = scene.lists.splice(0);
    scene.service.applyChange(list ?? null, null);
    const [texts, { lists, problem }] = await end();
    assert.deepEqual([lists, problem], [[], undefined]);
    assert.deepEqual(
      texts.filter((text) => text.includes('List 1:')),
      [`List 1: fetching ${list?.address}`],
    );
    assert.equal(scene.messages.size, 0);
  });
});

describe('a list that is enabled again', () => {
  it('blocks from its stored copy while its server is slow', async (t) => {
    let requests = 0;
    const base = await listServer(t, {
      '/list': (_request, response) => {
        requests++;
        if (requests === 1) response.end('stored.example\n');
      },
    });
    const scene = await serviceScene(t);
    const list = newList(1, `${base}/list`);
    scene.lists.push(list);
    await readAll(scene);
    const off = { ...list, enabled: false };
    scene.lists.splice(0, 1, off);
    scene.service.applyChange(list, off);
    await scene.until('it is not blocked', async () => !(await scene.isBlocked('stored.example')));
    scene.lists.splice(0, 1, list);
    scene.service.applyChange(off, list);
    await scene.until('it is blocked again', () => scene.isBlocked('stored.example'));
    await scene.until('it is fetched', () => requests === 2);
  });
});

describe('lists that cannot be compiled', () => {
  it('have a message until they are compiled', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    scene.add('one.example\n');
    // A folder with the name of the draft file makes the write fail.
    const draft = join(folder, 'snapshot.bin.making');
    mkdirSync(draft);
    await readAll(scene);
    assert.match([...scene.messages.values()].join('\n'), /could not be compiled.*policy in force stays/u);
    rmSync(draft, { recursive: true });
    await readAll(scene);
    assert.equal(scene.messages.size, 0);
  });
});

describe('closing the service', () => {
  it('does not wait for examinations of lists', { timeout: 30_000 }, async (t) => {
    const examined = Promise.withResolvers<void>();
    const scene = await serviceScene(t, {
      updater: { update: async () => [], close: () => examined.promise },
      compiler: {
        compile: () => assert.fail('unexpected compilation'),
        check: async () => undefined,
        close: async () => examined.resolve(),
      },
    });
    await scene.service.close();
  });
});
