import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { loadPatternCheck } from '#policy';
import { examineDraft } from './examine.ts';
import { fetchList, nothingKnown } from '../fetch/fetch-list.ts';
import { ListCopies } from './list-copies.ts';
import { copiesKept, damagedKept } from '../list-limits.ts';
import { flipped } from '#testing/flipped';
import { temporaryFolder } from '#testing/lists/list-scene';

const checkPattern = await loadPatternCheck();
const list = 7;

interface Scene {
  readonly folder: string;
  readonly copies: ListCopies;
  readonly keep: (text: string, inForce?: number) => Promise<number>;
  readonly current: () => string | undefined;
  readonly change: (version: number, how: (path: string) => void) => void;
}

function scene(t: TestContext): Scene {
  const folder = temporaryFolder(t);
  const copies = new ListCopies(join(folder, 'lists'));
  const source = join(folder, 'source.txt');
  return {
    folder: join(folder, 'lists', String(list)),
    copies,
    keep: async (text, inForce) => {
      writeFileSync(source, text);
      const draftPath = copies.draftPath(list);
      const address = pathToFileURL(source).href;
      const { signal } = new AbortController();
      const fetched = await fetchList(
        { address, rights: 'sudo', known: nothingKnown, draftPath },
        { userAgent: '', signal, allowLocal: () => true },
      );
      assert.ok(fetched.kind === 'changed');
      const examined = await examineDraft(draftPath, fetched.unpackedBytes, checkPattern);
      assert.ok(examined.kind === 'examined');
      return copies.keep(list, { address, fetched, report: examined.report, nowMs: 5, inForce }).version;
    },
    current: () => {
      const copy = copies.findCurrent(list);
      return copy === undefined ? undefined : zstdDecompressSync(readFileSync(copy.path)).toString();
    },
    change: (version, how) => how(join(folder, 'lists', String(list), `${version}.zst`)),
  };
}

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, flipped(bytes, bytes.length >> 1));
}

describe('the copies of a list', () => {
  it('do not exist before the first fetch', (t) => {
    const { copies, current } = scene(t);
    assert.deepEqual([copies.all(list), copies.lists(), current()], [[], [], undefined]);
    assert.equal(copies.rollBack(list, 1), false);
  });

  it('have address, time and report', async (t) => {
    const { copies, keep } = scene(t);
    await keep('ads.example\nno domain at all\n##.banner\n');
    const [copy] = copies.all(list);
    assert.deepEqual([copy?.version, copy?.fetchedMs, copy?.unpackedBytes], [1, 5, 39]);
    assert.deepEqual([copy?.report.entries, copy?.report.invalid, copy?.report.skipped], [1, 1, 1]);
    assert.equal(copy?.report.samples[0]?.line, 2);
    assert.deepEqual(copies.lists(), [list]);
    copies.remove(list);
    assert.deepEqual(copies.lists(), []);
  });

  it('are limited to the newest ones and the one in force', async (t) => {
    const { copies, keep, folder } = scene(t);
    for (let at = 1; at <= copiesKept + 3; at++) await keep(`ads-${at}.example\n`, 2);
    assert.deepEqual(
      copies.all(list).map(({ version }) => version),
      [8, 7, 6, 5, 4, 2],
    );
    assert.equal(readdirSync(folder).length, 2 * 6);
  });

  it('may be empty or large', async (t) => {
    const { keep, current } = scene(t);
    for (const text of ['', 'a', 'ads.example\n'.repeat(200_000)]) {
      await keep(text);
      assert.ok(current() === text);
    }
  });

  it('can be rolled back to, until the list changes', async (t) => {
    const { copies, keep, current } = scene(t);
    for (const text of ['one.example', 'two.example', 'three.example']) await keep(text);
    assert.equal(copies.rollBack(list, 1), true);
    assert.equal(current(), 'one.example');
    assert.equal(copies.newest(list)?.version, 3);
    assert.equal(copies.rollBack(list, 9), false);
    assert.equal(current(), 'one.example');
    assert.equal(copies.rollBack(list, 3), true);
    assert.equal(current(), 'three.example');
    copies.rollBack(list, 2);
    await keep('four.example');
    assert.equal(current(), 'four.example');
  });
});

describe('a damaged copy', () => {
  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ['one bit flipped', flipByte],
    ['truncated', (path) => truncateSync(path, 10)],
    ['emptied', (path) => truncateSync(path, 0)],
    ['replaced', (path) => writeFileSync(path, 'ads.example')],
  ];
  for (const [title, how] of damages) {
    it(`is renamed and replaced by the next older one: ${title}`, async (t) => {
      const { copies, keep, current, change } = scene(t);
      await keep('one.example\n');
      await keep('two.example\n');
      change(2, how);
      assert.equal(copies.find(list, 2), undefined);
      assert.deepEqual([current(), copies.damaged(list)], ['one.example\n', 1]);
      assert.equal(copies.newest(list)?.version, 1);
      // The version number of the damaged copy is not used again.
      assert.equal(await keep('three.example\n'), 3);
      assert.equal(current(), 'three.example\n');
    });
  }

  it('after a rollback is replaced by the next older one, then by the next newer one', async (t) => {
    const { copies, keep, current, change } = scene(t);
    for (const text of ['one.example', 'two.example', 'three.example']) await keep(text);
    copies.rollBack(list, 2);
    change(2, flipByte);
    assert.equal(current(), 'one.example');
    assert.equal(current(), 'one.example');
    change(1, flipByte);
    assert.equal(current(), 'three.example');
    change(3, flipByte);
    assert.equal(current(), undefined);
  });

  it('is kept, up to a limit per list', async (t) => {
    const { copies, keep, change } = scene(t);
    for (let at = 1; at <= 5; at++) {
      await keep(`ads-${at}.example`);
      change(at, flipByte);
      copies.findCurrent(list);
    }
    await keep('good.example');
    assert.equal(copies.damaged(list), damagedKept);
  });

  it('is ignored when its description is damaged or in a newer format', async (t) => {
    const { keep, current, folder } = scene(t);
    await keep('one.example');
    for (const text of ['', '{', '[]', '{"format":2}', '{"format":1,"version":2}']) {
      await keep('two.example');
      const newest = Math.max(...readdirSync(folder).map((name) => Number.parseInt(name, 10)));
      writeFileSync(join(folder, `${newest}.json`), text);
      assert.equal(current(), 'one.example', text);
    }
  });
});

describe('incomplete files after a crash', () => {
  it('are not copies, and the next copy removes them', async (t) => {
    const { copies, keep, current, folder } = scene(t);
    await keep('one.example');
    writeFileSync(copies.draftPath(list), 'half a te');
    writeFileSync(join(folder, '2.zst'), 'whole, but not described');
    writeFileSync(join(folder, '2.json.making'), '{"version":');
    assert.deepEqual([current(), copies.newest(list)?.version], ['one.example', 1]);
    assert.equal(await keep('three.example'), 3);
    assert.deepEqual(readdirSync(folder).toSorted(), ['1.json', '1.zst', '3.json', '3.zst']);
  });
});
