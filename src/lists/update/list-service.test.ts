import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBuildRecord } from '../snapshot/snapshot-file.ts';
import { listServer, namesText, temporaryFolder, textPage, type Page } from '#testing/lists/list-scene';
import { newList, serviceScene, type ServiceScene } from '#testing/lists/service-scene';
import type { UpdateResult } from './list-service.ts';

async function finish(scene: ServiceScene): Promise<readonly [readonly string[], UpdateResult]> {
  const reader = scene.service.update().read();
  const texts: string[] = [];
  for (;;) {
    const next = await reader.next();
    if (next.done === true) return [texts, next.value];
    texts.push(next.value);
  }
}

/** Four bytes at this place, from the end when it is negative. */
function overwrite(path: string, at: number): void {
  const bytes = readFileSync(path);
  const from = at < 0 ? bytes.length + at : at;
  bytes.writeInt32LE(~bytes.readInt32LE(from), from);
  writeFileSync(path, bytes);
}

const statusOf = ({ lists }: ServiceScene, id: number): number | undefined =>
  lists.find((list) => list.id === id)?.status;

describe('a service of lists that starts', () => {
  it('fetches what it has no copy of and puts it in force', async (t) => {
    const scene = await serviceScene(t);
    const list = scene.add('one.example\n');
    scene.service.start();
    await scene.until('it is blocked', () => scene.isBlocked('one.example'));
    await scene.until('it is reported', () => statusOf(scene, list.id) === 1);
    assert.equal(scene.lists[0]?.number, 1);
  });

  it('removes files of a simulation that was killed', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    const draft = join(folder, 'lists', 'simulated-0.making');
    mkdirSync(join(folder, 'lists'), { recursive: true });
    writeFileSync(draft, 'half of it');
    scene.service.start();
    await scene.until('it is gone', () => !existsSync(draft));
  });

  it('compiles nothing when the snapshot is up to date', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    first.add('one.example\n');
    await finish(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    second.service.start();
    await second.service.close();
    assert.equal(second.compiled.length, 0);
  });

  const behind: readonly (readonly [string, (folder: string, scene: ServiceScene) => void])[] = [
    ['the compiled file is gone', (folder) => rmSync(join(folder, 'snapshot.bin'))],
    ['its record is gone', (folder) => rmSync(join(folder, 'snapshot.bin.json'))],
    ['it is damaged', (folder) => overwrite(join(folder, 'snapshot.bin'), -4)],
    ['it is of another version', (folder) => overwrite(join(folder, 'snapshot.bin'), 4)],
    ['a list has gone', (_folder, { lists }) => void lists.pop()],
  ];
  for (const [title, damage] of behind) {
    it(`compiles when ${title}`, async (t) => {
      const folder = temporaryFolder(t);
      const first = await serviceScene(t, {}, folder);
      first.add('one.example\n');
      first.add('two.example\n');
      await finish(first);
      await first.service.close();
      const second = await serviceScene(t, {}, folder);
      second.lists.push(...first.lists);
      damage(folder, second);
      second.service.start();
      await second.until('it is blocked', () => second.isBlocked('one.example'));
      assert.ok(existsSync(join(folder, 'snapshot.bin')));
    });
  }

  it('fetches a list again at the start when its copy is damaged, and says so', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const list = first.add('one.example\n');
    await finish(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    overwrite(join(folder, 'lists', String(list.id), '1.zst'), -4);
    for (const name of ['snapshot.bin', 'snapshot.bin.json']) rmSync(join(folder, name));
    second.service.start();
    await second.until('it is blocked', () => second.isBlocked('one.example'));
    assert.match(second.logged.join('\n'), /stored copies of a list are damaged.*until it is fetched again/);
  });

  it('says which list has expressions that are not in force: there are too many in all', async (t) => {
    const scene = await serviceScene(t);
    const many = (from: string): string =>
      Array.from({ length: 300 }, (_, at) => `/^${from}${at}${'abcde'.repeat(12)}$/\n`).join('');
    for (const from of ['one', 'two']) scene.add(many(from));
    await finish(scene);
    // The first one fits.
    assert.equal(scene.logged.filter((line) => line.includes('too many expressions')).length, 1);
  });

  it('compiles stored copies without waiting for the network', async (t) => {
    const answer = Promise.withResolvers<void>();
    const base = await listServer(t, {
      '/list': (_request, response) => void answer.promise.then(() => response.end('far.example\n')),
    });
    const scene = await serviceScene(t);
    scene.lists.push(newList(7, `${base}/list`));
    scene.add('near.example\n');
    scene.service.start();
    await scene.until('what is near is blocked', () => scene.isBlocked('near.example'));
    assert.equal(statusOf(scene, 7), 0);
    answer.resolve();
    await scene.until('what is far is blocked too', () => scene.isBlocked('far.example'));
  });

  it('removes the files of a deleted list', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    first.add('one.example\n');
    await finish(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.service.start();
    await second.until('the folder is gone', () => !existsSync(join(folder, 'lists', '1')));
  });
});

describe('a change of a list', () => {
  it('new and enabled again: fetched at once; disabled and deleted: only left out', async (t) => {
    const scene = await serviceScene(t);
    const { service } = scene;
    const list = scene.add('one.example\n');
    service.follow(null, list);
    await scene.until('it is blocked', () => scene.isBlocked('one.example'));
    const off = { ...list, enabled: false };
    scene.lists[0] = off;
    service.follow(list, off);
    await scene.until('it is free', async () => !(await scene.isBlocked('one.example')));
    scene.rewrite(list, 'two.example\n');
    scene.lists[0] = list;
    service.follow(off, list);
    await scene.until('its new text is blocked', () => scene.isBlocked('two.example'));
    scene.lists.pop();
    service.follow(list, null);
    await scene.until('it is free', async () => !(await scene.isBlocked('two.example')));
    assert.equal(scene.compiled.at(-1)?.lists.length, 0);
  });

  it('in its comment or its groups compiles nothing', async (t) => {
    const scene = await serviceScene(t);
    const list = scene.add('one.example\n');
    await finish(scene);
    const before = scene.compiled.length;
    scene.service.follow(list, { ...list, comment: 'mine', groups: [0, 1] });
    await scene.service.close();
    assert.equal(scene.compiled.length, before);
  });

  it('fetches nothing when automatic updates are off', async (t) => {
    let asked = 0;
    const page: Page = (_request, response) => {
      asked += 1;
      response.end('far.example\n');
    };
    const base = await listServer(t, { '/list': page });
    const scene = await serviceScene(t, { updateHours: () => 0 });
    const list = newList(1, `${base}/list`);
    await finish(scene);
    scene.lists.push(list);
    scene.service.follow(null, list);
    await scene.until('it is looked at', () => scene.events.at(-1)?.[0] === 'lists.compiled');
    assert.deepEqual([asked, statusOf(scene, 1)], [0, 0]);
    assert.equal(scene.compiled.length, 1, 'nothing is compiled for nothing');
    await finish(scene);
    assert.deepEqual([asked, statusOf(scene, 1), scene.compiled.length], [1, 1, 2]);
    scene.lists[0] = { ...list, enabled: false };
    scene.service.follow(list, { ...list, enabled: false });
    await scene.until('it is free', async () => !(await scene.isBlocked('far.example')));
    scene.lists[0] = list;
    scene.service.follow({ ...list, enabled: false }, list);
    await scene.until('its copy is in force', () => scene.isBlocked('far.example'));
    assert.equal(asked, 1);
  });

  it('deleted while it is fetched leaves nothing behind', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    const base = await listServer(t, {
      '/list': (_request, response) => {
        const [list] = scene.lists.splice(0);
        scene.service.follow(list ?? null, null);
        response.end('gone.example\n');
      },
    });
    scene.lists.push(newList(1, `${base}/list`));
    await finish(scene);
    assert.equal(existsSync(join(folder, 'lists', '1')), false);
    assert.equal(await scene.isBlocked('gone.example'), false);
  });
});

describe('an update that is asked for', () => {
  it('is shared by later requests, which get it from its beginning', async (t) => {
    const scene = await serviceScene(t);
    scene.add('one.example\n');
    const [first, second] = await Promise.all([finish(scene), finish(scene)]);
    assert.deepEqual(first, second);
    assert.equal(scene.compiled.length, 1);
    const texts = scene.events.flatMap(([name, data]) => (name === 'lists.progress' ? [data.text] : []));
    assert.deepEqual(first[0], texts);
    assert.match(
      texts.join('\n'),
      /^List 1: fetching file:.*\n.*reading 12 bytes\n.*downloaded, 1 entries\n/u,
    );
    assert.deepEqual(texts.slice(-3), [
      'Compiling 1 lists',
      'Putting 1 names in force',
      '1 names are in force',
    ]);
    const [again, { names }] = await finish(scene);
    assert.deepEqual(again.slice(1), ['List 1: unchanged, 1 entries', '1 names are in force']);
    assert.deepEqual([names, scene.compiled.length], [1, 1], 'nothing is compiled for nothing');
  });

  it('applies fetched lists while one server is slow', async (t) => {
    const answer = Promise.withResolvers<void>();
    const base = await listServer(t, {
      '/slow': (_request, response) => void answer.promise.then(() => response.end('late.example\n')),
      '/fast': textPage('early.example\n'),
    });
    const scene = await serviceScene(t, { earlyBuildMs: 50 });
    scene.lists.push(newList(1, `${base}/slow`), newList(2, `${base}/fast`));
    const update = finish(scene);
    await scene.until('the fast one is blocked', () => scene.isBlocked('early.example'));
    answer.resolve();
    await update;
    assert.equal(await scene.isBlocked('late.example'), true);
  });

  it('ends properly when a step fails', async (t) => {
    const scene = await serviceScene(t, { report: () => Promise.reject(new Error('no disk')) });
    scene.add('one.example\n');
    const [, { problem }] = await finish(scene);
    assert.match(problem ?? '', /no disk.*What was in force stays/u);
    const [, second] = await finish(scene);
    assert.match(second.problem ?? '', /no disk/u, 'the next one begins anew');
  });

  it('says what is in force when the lists cannot be compiled', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    scene.add('one.example\n');
    await finish(scene);
    // A folder in the way: the file cannot be written.
    const draft = join(folder, 'snapshot.bin.making');
    mkdirSync(draft);
    scene.add('two.example\n');
    const [, result] = await finish(scene);
    assert.deepEqual([result.isBuilt, result.names > 0], [false, true]);
    assert.equal(await scene.isBlocked('one.example'), true);
    assert.match(scene.logged.join('\n'), /error: The lists were not compiled/u);
    rmSync(draft, { recursive: true });
    assert.equal((await finish(scene))[1].problem, undefined);
    assert.equal(await scene.isBlocked('two.example'), true);
  });

  it('that could not be compiled is compiled again by itself, and a message says so', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, { lookEveryMs: 5, updateHours: () => 0 }, folder);
    scene.add('one.example\n');
    const draft = join(folder, 'snapshot.bin.making');
    mkdirSync(draft);
    scene.service.start();
    const message = (): string => scene.messages.get('lists not compiled ') ?? '';
    await scene.until('it has failed', () => message() !== '');
    assert.match(message(), /could not be compiled.*tried again by itself in about a minute.*lists update/u);
    const tries = scene.compiled.length;
    await sleep(50);
    assert.equal(scene.compiled.length, tries, 'not before its time');
    scene.clock.nowMs += 61_000;
    await scene.until('it is tried again', () => /about 2 minutes/u.test(message()));
    rmSync(draft, { recursive: true });
    scene.clock.nowMs += 121_000;
    await scene.until('it is blocked', () => scene.isBlocked('one.example'));
    await scene.until('the message is gone', () => scene.messages.size === 0);
  });

  it('that is interrupted by the stop changes no status', async (t) => {
    const scene = await serviceScene(t);
    const base = await listServer(t, { '/list': () => void scene.service.close() });
    scene.lists.push(newList(1, `${base}/list`));
    await finish(scene);
    assert.equal(statusOf(scene, 1), 0);
  });
});

describe('a list that cannot be had', () => {
  it('is logged once, with a message for as long as it lasts', async (t) => {
    const pages: Record<string, Page> = { '/list': textPage('<!doctype html><html>') };
    const scene = await serviceScene(t);
    const base = await listServer(t, pages);
    scene.lists.push(newList(1, `${base}/list`));
    await finish(scene);
    await finish(scene);
    assert.equal(scene.logged.filter((line) => line.startsWith('warn')).length, 1);
    assert.match(scene.messages.get('list unavailable 1') ?? '', /page for browsers/u);
    assert.equal(statusOf(scene, 1), 4);
    pages['/list'] = textPage('one.example\n');
    await finish(scene);
    assert.deepEqual([scene.messages.size, statusOf(scene, 1)], [0, 1]);
    pages['/list'] = (_request, response) => void response.writeHead(503).end();
    await finish(scene);
    assert.deepEqual([scene.messages.size, statusOf(scene, 1)], [0, 3], 'it may come back by itself');
  });

  for (const end of ['switched off', 'deleted']) {
    it(`is no trouble any more when it is ${end}; secrets of its address are never told`, async (t) => {
      const scene = await serviceScene(t);
      const { host } = new URL(await listServer(t, {}));
      const list = newList(1, `http://me:secret@${host}/list?token=secret`);
      scene.lists.push(list);
      const [texts] = await finish(scene);
      assert.match(scene.messages.get('list unavailable 1') ?? '', /^List 1 \(http:.*not there any more/u);
      assert.doesNotMatch([...texts, ...scene.messages.values()].join(), /secret/u);
      const after = end === 'deleted' ? null : { ...list, enabled: false };
      scene.lists.splice(0, 1, ...(after === null ? [] : [after]));
      scene.service.follow(list, after);
      await scene.until('the message is gone', () => scene.messages.size === 0);
    });
  }
});

describe('lists of an earlier version that lead to this machine', () => {
  const topic = 'earlier lists refused ';
  const warnings = ({ logged }: ServiceScene): readonly string[] =>
    logged.filter((line) => line.startsWith('warn: Lists of an earlier version'));

  it('are reported once, together, until lists.allowLocal is on', async (t) => {
    const scene = await serviceScene(t);
    const base = await listServer(t, {
      '/a?token=secret': textPage('a.example\n'),
      '/b': textPage('b.example\n'),
    });
    for (const [at, path] of ['/a?token=secret', '/b'].entries())
      scene.lists.push({ ...newList(at + 1, `${base}${path}`), added_with: 'earlier' });
    scene.reach.allowLocal = false;
    await finish(scene);
    await finish(scene);
    assert.deepEqual([...scene.messages.keys()], [topic]);
    const names = `list 1 (${base}/a), list 2 (${base}/b)`;
    const message = scene.messages.get(topic) ?? '';
    assert.ok(message.includes(names) && message.includes('Set lists.allowLocal'), message);
    const [line = '', ...others] = warnings(scene);
    assert.ok(line.endsWith(`${names} lists.allowLocal`), line);
    assert.deepEqual(others, []);
    scene.reach.allowLocal = true;
    await finish(scene);
    assert.deepEqual([scene.messages.size, await scene.isBlocked('a.example')], [0, true]);
  });

  for (const end of ['switched off', 'deleted']) {
    it(`are not reported any more when they are ${end}`, async (t) => {
      const scene = await serviceScene(t);
      scene.reach.allowLocal = false;
      const list = { ...newList(1, 'http://127.0.0.1/list'), added_with: 'earlier' } as const;
      scene.lists.push(list);
      await finish(scene);
      assert.deepEqual([...scene.messages.keys()], [topic]);
      const after = end === 'deleted' ? null : { ...list, enabled: false };
      scene.lists.splice(0, 1, ...(after === null ? [] : [after]));
      scene.service.follow(list, after);
      await scene.until('the message is gone', () => scene.messages.size === 0);
    });
  }
});

describe('a change that is too large to be believed', () => {
  const begin = async (scene: ServiceScene) => {
    const [big, other] = [scene.add(namesText(2000)), scene.add('other.example\n')];
    await finish(scene);
    return { big, other };
  };

  it('is held: all stays as it is when nothing else has changed', async (t) => {
    const scene = await serviceScene(t);
    const { big } = await begin(scene);
    scene.rewrite(big, `${namesText(100)}no name at all\n||adblock.example^\n`);
    const shown = { ...scene.lists[0], status: 0 };
    scene.clock.nowMs += 3_600_000;
    const before = scene.compiled.length;
    const [, { problem, names, isBuilt }] = await finish(scene);
    assert.match(problem ?? '', /lost more than 30 %.*sluice lists accept/u);
    assert.deepEqual([names, isBuilt, scene.compiled.length - before], [2001, true, 1]);
    assert.equal(await scene.isBlocked('host-1999.example'), true);
    assert.deepEqual([...scene.messages.keys()], ['list held 1']);
    assert.ok(scene.events.some(([name, data]) => name === 'lists.held' && data.listId === 1));
    const now = { ...scene.lists[0], status: 0 };
    assert.deepEqual(now, { ...shown, held: true }, 'figures and dates of what is in force');
    assert.equal(scene.service.copiesOf(big).held?.after, 101);
  });

  it('does not hold other lists', async (t) => {
    const scene = await serviceScene(t);
    const { big, other } = await begin(scene);
    scene.rewrite(big, namesText(100));
    scene.rewrite(other, 'another.example\n');
    await finish(scene);
    const asked = ['host-1999.example', 'another.example', 'other.example'];
    assert.deepEqual(await Promise.all(asked.map(scene.isBlocked)), [true, true, false]);
    assert.equal(scene.messages.size, 1);
  });

  it('is still held after a restart', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const { big } = await begin(first);
    first.rewrite(big, namesText(100));
    await finish(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    second.service.start();
    await second.until('it is held', () => second.service.copiesOf(big).held !== undefined);
    const built = await second.service.accept(big);
    assert.deepEqual([built?.isBuilt, built?.problem], [true, undefined]);
    assert.equal(await second.isBlocked('host-99.example'), true);
    assert.equal(await second.isBlocked('host-1999.example'), false);
  });

  it('is applied when the copy in force is lost', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const { big } = await begin(first);
    first.rewrite(big, namesText(100));
    await finish(first);
    await first.service.close();
    for (const name of ['snapshot.bin', 'lists/1/1.zst']) overwrite(join(folder, name), -4);
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    second.service.start();
    await second.until('the newest copy is in force', () => second.isBlocked('host-99.example'));
  });

  it('is accepted once, for the very copy that waits', async (t) => {
    const scene = await serviceScene(t);
    const { big } = await begin(scene);
    assert.equal(await scene.service.accept(big), undefined, 'nothing waits');
    scene.rewrite(big, namesText(5000));
    await finish(scene);
    await scene.service.accept(big);
    assert.equal(await scene.isBlocked('host-4999.example'), true);
    const [{ number, held } = big] = scene.lists;
    assert.deepEqual([scene.messages.size, number, held], [0, 5000, false]);
    scene.rewrite(big, namesText(50));
    await finish(scene);
    assert.equal(scene.messages.size, 1, 'the next one is held again');
  });

  it('ends by going back, and an earlier copy may be much smaller', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    const list = scene.add('small.example\n');
    await finish(scene);
    scene.rewrite(list, namesText(1500));
    await finish(scene);
    scene.rewrite(list, namesText(10));
    await finish(scene);
    assert.equal(scene.messages.size, 1);
    const built = await scene.service.useCopy(list, 1);
    assert.deepEqual([built?.problem, scene.messages.size, scene.lists[0]?.number], [undefined, 0, 1]);
    assert.equal(await scene.isBlocked('small.example'), true);
    await finish(scene);
    assert.equal(await scene.isBlocked('small.example'), true, 'an unchanged list leaves it so');
    assert.deepEqual(
      scene.service.copiesOf(list).copies.map(({ version, isInForce }) => [version, isInForce]),
      [
        [3, false],
        [2, false],
        [1, true],
      ],
    );
    assert.equal(await scene.service.useCopy(list, 9), undefined);
    scene.rewrite(list, 'newer.example\n');
    await finish(scene);
    assert.equal(await scene.isBlocked('newer.example'), true);
    assert.equal(readBuildRecord(join(folder, 'snapshot.bin'))?.names, 1);
  });
});
