import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBuildRecord } from '../snapshot/snapshot-file.ts';
import { listServer, namesText, temporaryFolder, textPage, type Page } from '#testing/lists/list-scene';
import { newList, serviceScene, type ServiceScene } from '#testing/lists/service-scene';
import type { UpdateResult } from './list-service.ts';

async function runUpdate(scene: ServiceScene): Promise<readonly [readonly string[], UpdateResult]> {
  const reader = scene.service.update().read();
  const texts: string[] = [];
  for (;;) {
    const next = await reader.next();
    if (next.done === true) return [texts, next.value];
    texts.push(next.value);
  }
}

/** Inverts four bytes at this position; a negative one counts from the end. */
function overwrite(path: string, at: number): void {
  const bytes = readFileSync(path);
  const from = at < 0 ? bytes.length + at : at;
  bytes.writeInt32LE(~bytes.readInt32LE(from), from);
  writeFileSync(path, bytes);
}

function statusOf({ lists }: ServiceScene, id: number): number | undefined {
  return lists.find((list) => list.id === id)?.status;
}

describe('the start of the list service', () => {
  it('fetches lists without a copy and puts them in force', async (t) => {
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
    await runUpdate(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    second.service.start();
    await second.service.close();
    assert.equal(second.compiled.length, 0);
  });

  const behind: readonly (readonly [string, (folder: string, scene: ServiceScene) => void])[] = [
    ['the snapshot is missing', (folder) => rmSync(join(folder, 'snapshot.bin'))],
    ['the build record is missing', (folder) => rmSync(join(folder, 'snapshot.bin.json'))],
    ['the snapshot is damaged', (folder) => overwrite(join(folder, 'snapshot.bin'), -4)],
    ['the snapshot has another format version', (folder) => overwrite(join(folder, 'snapshot.bin'), 4)],
    ['a list was deleted', (_folder, { lists }) => void lists.pop()],
  ];
  for (const [title, damage] of behind) {
    it(`compiles when ${title}`, async (t) => {
      const folder = temporaryFolder(t);
      const first = await serviceScene(t, {}, folder);
      first.add('one.example\n');
      first.add('two.example\n');
      await runUpdate(first);
      await first.service.close();
      const second = await serviceScene(t, {}, folder);
      second.lists.push(...first.lists);
      damage(folder, second);
      second.service.start();
      await second.until('it is blocked', () => second.isBlocked('one.example'));
      assert.ok(existsSync(join(folder, 'snapshot.bin')));
    });
  }

  it('fetches a list again when its copy is damaged, and logs it', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const list = first.add('one.example\n');
    await runUpdate(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    overwrite(join(folder, 'lists', String(list.id), '1.zst'), -4);
    for (const name of ['snapshot.bin', 'snapshot.bin.json']) rmSync(join(folder, name));
    second.service.start();
    await second.until('it is blocked', () => second.isBlocked('one.example'));
    assert.match(second.logged.join('\n'), /stored copies of a list are damaged.*until it is fetched again/);
  });

  it('logs which list has expressions that are not in force, when all lists have too many', async (t) => {
    const scene = await serviceScene(t);
    const many = (from: string): string =>
      Array.from({ length: 300 }, (_, at) => `/^${from}${at}${'abcde'.repeat(12)}$/\n`).join('');
    for (const from of ['one', 'two']) scene.add(many(from));
    await runUpdate(scene);
    // The expressions of the first list are below the limit.
    assert.equal(scene.logged.filter((line) => line.includes('too many expressions')).length, 1);
  });

  it('compiles local lists without waiting for the network', async (t) => {
    const answer = Promise.withResolvers<void>();
    const base = await listServer(t, {
      '/list': (_request, response) => void answer.promise.then(() => response.end('far.example\n')),
    });
    const scene = await serviceScene(t);
    scene.lists.push(newList(7, `${base}/list`));
    scene.add('near.example\n');
    scene.service.start();
    await scene.until('the local list blocks', () => scene.isBlocked('near.example'));
    assert.equal(statusOf(scene, 7), 0);
    answer.resolve();
    await scene.until('the remote list blocks too', () => scene.isBlocked('far.example'));
  });

  it('removes the files of a deleted list', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    first.add('one.example\n');
    await runUpdate(first);
    await first.service.close();
    const second = await serviceScene(t, {}, folder);
    second.service.start();
    await second.until('the folder is gone', () => !existsSync(join(folder, 'lists', '1')));
  });
});

describe('a change of a list', () => {
  it('to new or enabled again fetches it at once; to disabled or deleted compiles without it', async (t) => {
    const scene = await serviceScene(t);
    const { service } = scene;
    const list = scene.add('one.example\n');
    service.applyChange(null, list);
    await scene.until('it is blocked', () => scene.isBlocked('one.example'));
    const off = { ...list, enabled: false };
    scene.lists[0] = off;
    service.applyChange(list, off);
    await scene.until('it is not blocked', async () => !(await scene.isBlocked('one.example')));
    scene.rewrite(list, 'two.example\n');
    scene.lists[0] = list;
    service.applyChange(off, list);
    await scene.until('its new text is blocked', () => scene.isBlocked('two.example'));
    scene.lists.pop();
    service.applyChange(list, null);
    await scene.until('it is not blocked', async () => !(await scene.isBlocked('two.example')));
    assert.equal(scene.compiled.at(-1)?.lists.length, 0);
  });

  it('of comment or groups compiles nothing', async (t) => {
    const scene = await serviceScene(t);
    const list = scene.add('one.example\n');
    await runUpdate(scene);
    const before = scene.compiled.length;
    scene.service.applyChange(list, { ...list, comment: 'mine', groups: [0, 1] });
    await scene.service.close();
    assert.equal(scene.compiled.length, before);
  });

  it('fetches nothing when automatic updates are off', async (t) => {
    let requests = 0;
    const page: Page = (_request, response) => {
      requests += 1;
      response.end('far.example\n');
    };
    const base = await listServer(t, { '/list': page });
    const scene = await serviceScene(t, { updateHours: () => 0 });
    const list = newList(1, `${base}/list`);
    await runUpdate(scene);
    scene.lists.push(list);
    scene.service.applyChange(null, list);
    await scene.until('the change is processed', () => scene.events.at(-1)?.[0] === 'lists.compiled');
    assert.deepEqual([requests, statusOf(scene, 1)], [0, 0]);
    assert.equal(scene.compiled.length, 1, 'no needless compilation');
    await runUpdate(scene);
    assert.deepEqual([requests, statusOf(scene, 1), scene.compiled.length], [1, 1, 2]);
    scene.lists[0] = { ...list, enabled: false };
    scene.service.applyChange(list, { ...list, enabled: false });
    await scene.until('it is not blocked', async () => !(await scene.isBlocked('far.example')));
    scene.lists[0] = list;
    scene.service.applyChange({ ...list, enabled: false }, list);
    await scene.until('its copy is in force', () => scene.isBlocked('far.example'));
    assert.equal(requests, 1);
  });

  it('to deleted, while it is fetched, leaves no files', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    const base = await listServer(t, {
      '/list': (_request, response) => {
        const [list] = scene.lists.splice(0);
        scene.service.applyChange(list ?? null, null);
        response.end('gone.example\n');
      },
    });
    scene.lists.push(newList(1, `${base}/list`));
    await runUpdate(scene);
    assert.equal(existsSync(join(folder, 'lists', '1')), false);
    assert.equal(await scene.isBlocked('gone.example'), false);
  });
});

describe('a requested update', () => {
  it('is shared by later requests, which get all earlier progress', async (t) => {
    const scene = await serviceScene(t);
    scene.add('one.example\n');
    const [first, second] = await Promise.all([runUpdate(scene), runUpdate(scene)]);
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
    const [again, { names }] = await runUpdate(scene);
    assert.deepEqual(again.slice(1), ['List 1: unchanged, 1 entries', '1 names are in force']);
    assert.deepEqual([names, scene.compiled.length], [1, 1], 'no needless compilation');
  });

  it('applies fetched lists while one server is slow', async (t) => {
    const answer = Promise.withResolvers<void>();
    const base = await listServer(t, {
      '/slow': (_request, response) => void answer.promise.then(() => response.end('late.example\n')),
      '/fast': textPage('early.example\n'),
    });
    const scene = await serviceScene(t, { earlyBuildMs: 50 });
    scene.lists.push(newList(1, `${base}/slow`), newList(2, `${base}/fast`));
    const update = runUpdate(scene);
    await scene.until('the fast one is blocked', () => scene.isBlocked('early.example'));
    answer.resolve();
    await update;
    assert.equal(await scene.isBlocked('late.example'), true);
  });

  it('ends with a problem when recording the outcomes fails', async (t) => {
    const scene = await serviceScene(t, { report: () => Promise.reject(new Error('no disk')) });
    scene.add('one.example\n');
    const [, { problem }] = await runUpdate(scene);
    assert.match(problem ?? '', /no disk.*What was in force stays/u);
    const [, second] = await runUpdate(scene);
    assert.match(second.problem ?? '', /no disk/u, 'the next update runs again');
  });

  it('keeps the previous snapshot in force when the lists cannot be compiled', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    scene.add('one.example\n');
    await runUpdate(scene);
    // A folder with the name of the draft file makes the write fail.
    const draft = join(folder, 'snapshot.bin.making');
    mkdirSync(draft);
    scene.add('two.example\n');
    const [, result] = await runUpdate(scene);
    assert.deepEqual([result.isBuilt, result.names > 0], [false, true]);
    assert.equal(await scene.isBlocked('one.example'), true);
    assert.match(scene.logged.join('\n'), /error: The lists were not compiled/u);
    rmSync(draft, { recursive: true });
    assert.equal((await runUpdate(scene))[1].problem, undefined);
    assert.equal(await scene.isBlocked('two.example'), true);
  });

  it('retries a failed compilation with backoff, and a message says so', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, { checkEveryMs: 5, updateHours: () => 0 }, folder);
    scene.add('one.example\n');
    const draft = join(folder, 'snapshot.bin.making');
    mkdirSync(draft);
    scene.service.start();
    const message = (): string => scene.messages.get('lists not compiled ') ?? '';
    await scene.until('it has failed', () => message() !== '');
    assert.match(message(), /could not be compiled.*tries again in about a minute.*lists update/u);
    const tries = scene.compiled.length;
    await sleep(50);
    assert.equal(scene.compiled.length, tries, 'no retry before it is due');
    scene.clock.nowMs += 61_000;
    await scene.until('it is tried again', () => /about 2 minutes/u.test(message()));
    rmSync(draft, { recursive: true });
    scene.clock.nowMs += 121_000;
    await scene.until('it is blocked', () => scene.isBlocked('one.example'));
    await scene.until('the message is gone', () => scene.messages.size === 0);
  });

  it('changes no status when the stop of the service interrupts it', async (t) => {
    const scene = await serviceScene(t);
    const base = await listServer(t, { '/list': () => void scene.service.close() });
    scene.lists.push(newList(1, `${base}/list`));
    await runUpdate(scene);
    assert.equal(statusOf(scene, 1), 0);
  });
});

describe('a list that cannot be downloaded', () => {
  it('is logged once, and has a message until it can be downloaded', async (t) => {
    const pages: Record<string, Page> = { '/list': textPage('<!doctype html><html>') };
    const scene = await serviceScene(t);
    const base = await listServer(t, pages);
    scene.lists.push(newList(1, `${base}/list`));
    await runUpdate(scene);
    await runUpdate(scene);
    assert.equal(scene.logged.filter((line) => line.startsWith('warn')).length, 1);
    assert.match(scene.messages.get('list unavailable 1') ?? '', /page for browsers/u);
    assert.equal(statusOf(scene, 1), 4);
    pages['/list'] = textPage('one.example\n');
    await runUpdate(scene);
    assert.deepEqual([scene.messages.size, statusOf(scene, 1)], [0, 1]);
    pages['/list'] = (_request, response) => void response.writeHead(503).end();
    await runUpdate(scene);
    assert.deepEqual([scene.messages.size, statusOf(scene, 1)], [0, 3], 'no message for a temporary failure');
  });

  for (const end of ['disabled', 'deleted']) {
    it(`has no message after it is ${end}, and no message shows secrets of its address`, async (t) => {
      const scene = await serviceScene(t);
      const { host } = new URL(await listServer(t, {}));
      const list = newList(1, `http://me:secret@${host}/list?token=secret`);
      scene.lists.push(list);
      const [texts] = await runUpdate(scene);
      assert.match(scene.messages.get('list unavailable 1') ?? '', /^List 1 \(http:.*not there any more/u);
      assert.doesNotMatch([...texts, ...scene.messages.values()].join(), /secret/u);
      const after = end === 'deleted' ? null : { ...list, enabled: false };
      scene.lists.splice(0, 1, ...(after === null ? [] : [after]));
      scene.service.applyChange(list, after);
      await scene.until('the message is gone', () => scene.messages.size === 0);
    });
  }
});

describe('lists added by an earlier version whose address is on this machine', () => {
  const topic = 'earlier lists refused ';
  const warnings = ({ logged }: ServiceScene): readonly string[] =>
    logged.filter((line) => line.startsWith('warn: Lists of an earlier version'));

  it('are reported in one message and one log line, until lists.allowLocal is on', async (t) => {
    const scene = await serviceScene(t);
    const base = await listServer(t, {
      '/a?token=secret': textPage('a.example\n'),
      '/b': textPage('b.example\n'),
    });
    for (const [at, path] of ['/a?token=secret', '/b'].entries())
      scene.lists.push({ ...newList(at + 1, `${base}${path}`), added_with: 'earlier' });
    scene.reach.allowLocal = false;
    await runUpdate(scene);
    await runUpdate(scene);
    assert.deepEqual([...scene.messages.keys()], [topic]);
    const names = `list 1 (${base}/a), list 2 (${base}/b)`;
    const message = scene.messages.get(topic) ?? '';
    assert.ok(message.includes(names) && message.includes('Set lists.allowLocal'), message);
    const [line = '', ...others] = warnings(scene);
    assert.ok(line.endsWith(`${names} lists.allowLocal`), line);
    assert.deepEqual(others, []);
    scene.reach.allowLocal = true;
    await runUpdate(scene);
    assert.deepEqual([scene.messages.size, await scene.isBlocked('a.example')], [0, true]);
  });

  for (const end of ['disabled', 'deleted']) {
    it(`have no message after they are ${end}`, async (t) => {
      const scene = await serviceScene(t);
      scene.reach.allowLocal = false;
      const list = { ...newList(1, 'http://127.0.0.1/list'), added_with: 'earlier' } as const;
      scene.lists.push(list);
      await runUpdate(scene);
      assert.deepEqual([...scene.messages.keys()], [topic]);
      const after = end === 'deleted' ? null : { ...list, enabled: false };
      scene.lists.splice(0, 1, ...(after === null ? [] : [after]));
      scene.service.applyChange(list, after);
      await scene.until('the message is gone', () => scene.messages.size === 0);
    });
  }
});

describe('a suspicious change', () => {
  const begin = async (scene: ServiceScene) => {
    const [big, other] = [scene.add(namesText(2000)), scene.add('other.example\n')];
    await runUpdate(scene);
    return { big, other };
  };

  it('is held, and nothing is compiled when no other list has changed', async (t) => {
    const scene = await serviceScene(t);
    const { big } = await begin(scene);
    scene.rewrite(big, `${namesText(100)}no name at all\n||adblock.example^\n`);
    const shown = { ...scene.lists[0], status: 0 };
    scene.clock.nowMs += 3_600_000;
    const before = scene.compiled.length;
    const [, { problem, names, isBuilt }] = await runUpdate(scene);
    assert.match(problem ?? '', /lost more than 30 %.*sluice lists accept/u);
    assert.deepEqual([names, isBuilt, scene.compiled.length - before], [2001, true, 1]);
    assert.equal(await scene.isBlocked('host-1999.example'), true);
    assert.deepEqual([...scene.messages.keys()], ['list held 1']);
    assert.ok(scene.events.some(([name, data]) => name === 'lists.held' && data.listId === 1));
    const now = { ...scene.lists[0], status: 0 };
    assert.deepEqual(now, { ...shown, held: true }, 'counts and dates of the copy in force');
    assert.equal(scene.service.copiesOf(big).held?.after, 101);
  });

  it('does not hold changes of other lists', async (t) => {
    const scene = await serviceScene(t);
    const { big, other } = await begin(scene);
    scene.rewrite(big, namesText(100));
    scene.rewrite(other, 'another.example\n');
    await runUpdate(scene);
    const names = ['host-1999.example', 'another.example', 'other.example'];
    assert.deepEqual(await Promise.all(names.map(scene.isBlocked)), [true, true, false]);
    assert.equal(scene.messages.size, 1);
  });

  it('is still held after a restart', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const { big } = await begin(first);
    first.rewrite(big, namesText(100));
    await runUpdate(first);
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

  it('is applied when snapshot and previous copy are damaged', async (t) => {
    const folder = temporaryFolder(t);
    const first = await serviceScene(t, {}, folder);
    const { big } = await begin(first);
    first.rewrite(big, namesText(100));
    await runUpdate(first);
    await first.service.close();
    for (const name of ['snapshot.bin', 'lists/1/1.zst']) overwrite(join(folder, name), -4);
    const second = await serviceScene(t, {}, folder);
    second.lists.push(...first.lists);
    second.service.start();
    await second.until('the newest copy is in force', () => second.isBlocked('host-99.example'));
  });

  it('can be accepted, which does not accept later changes', async (t) => {
    const scene = await serviceScene(t);
    const { big } = await begin(scene);
    assert.equal(await scene.service.accept(big), undefined, 'nothing is held');
    scene.rewrite(big, namesText(5000));
    await runUpdate(scene);
    await scene.service.accept(big);
    assert.equal(await scene.isBlocked('host-4999.example'), true);
    const [{ number, held } = big] = scene.lists;
    assert.deepEqual([scene.messages.size, number, held], [0, 5000, false]);
    scene.rewrite(big, namesText(50));
    await runUpdate(scene);
    assert.equal(scene.messages.size, 1, 'the next change is held again');
  });

  it('ends with a rollback, also to a much smaller copy', async (t) => {
    const folder = temporaryFolder(t);
    const scene = await serviceScene(t, {}, folder);
    const list = scene.add('small.example\n');
    await runUpdate(scene);
    scene.rewrite(list, namesText(1500));
    await runUpdate(scene);
    scene.rewrite(list, namesText(10));
    await runUpdate(scene);
    assert.equal(scene.messages.size, 1);
    const built = await scene.service.useCopy(list, 1);
    assert.deepEqual([built?.problem, scene.messages.size, scene.lists[0]?.number], [undefined, 0, 1]);
    assert.equal(await scene.isBlocked('small.example'), true);
    await runUpdate(scene);
    assert.equal(await scene.isBlocked('small.example'), true, 'an unchanged list keeps the rollback');
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
    await runUpdate(scene);
    assert.equal(await scene.isBlocked('newer.example'), true);
    assert.equal(readBuildRecord(join(folder, 'snapshot.bin'))?.names, 1);
  });
});
