import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { searchCopies, type SearchOutcome } from './search-copies.ts';
import { block, compileScene } from '#testing/lists/compile-scene';
import { namesText, temporaryFolder } from '#testing/lists/list-scene';

const list = `# track in a comment
Tracker.example
||trackers.example^$important
example.com##.tracker
0.0.0.0 a.tracks.example b.tracks.example
/^track[0-9]+\\./
||büchertrack.example^
ads.example
`;

async function scene(t: Parameters<typeof temporaryFolder>[0], texts: readonly string[]) {
  const { store, listsFolder } = await compileScene(temporaryFolder(t));
  for (const [at, text] of texts.entries()) await store(at + 1, text);
  const listIds = texts.map((_, at) => at + 1);
  const common = { listsFolder, listIds };
  const contains = (text: string, maxHits = 20, untilMs = 2000, nowMs = (): number => 0) =>
    searchCopies({ ...common, text, maxHits, untilMs, isExact: false }, nowMs);
  return Object.assign(contains, {
    about: (text: string) =>
      searchCopies({ ...common, text, maxHits: 20, untilMs: 2000, isExact: true }, () => 0),
  });
}

function shown({ hits }: SearchOutcome): string[] {
  return hits.map(({ listId, line, about }) => `${listId}:${line} ${about}`);
}

describe('a search', () => {
  it('finds rules regardless of case, but not comments', async (t) => {
    const search = await scene(t, [list, 'nothing.example\n', 'track.example']);
    const all = [
      '1:2 tracker.example',
      '1:3 trackers.example',
      '1:5 a.tracks.example',
      '1:5 b.tracks.example',
      '1:6 ^track[0-9]+\\.',
      '1:7 xn--bchertrack-9db.example',
      '3:1 track.example',
    ];
    for (const text of ['track', 'TRACK', ' track ']) assert.deepEqual(shown(await search(text)), all);
    assert.deepEqual((await search('track')).counts, [
      { listId: 1, hits: 6 },
      { listId: 2, hits: 0 },
      { listId: 3, hits: 1 },
    ]);
    for (const text of ['büchertrack.example', 'xn--bchertrack-9db.example'])
      assert.deepEqual(shown(await search(text)), [all[5]]);
    assert.equal((await search('track', 2)).hits.length, 2);
    assert.equal((await search('track', 2)).counts[0]?.hits, 6);
    assert.deepEqual(shown(await search('')), []);
    assert.deepEqual(shown(await search('no such thing')), []);
  });

  it('finds rules about addresses', async (t) => {
    const search = await scene(t, ['||203.0.113.66^\n||203.0.113.6^\n@@||2001:db8::1^\n']);
    assert.deepEqual(shown(await search.about('203.0.113.66')), ['1:1 203.0.113.66']);
    assert.deepEqual(shown(await search.about('2001:db8::1')), ['1:3 2001:db8::1']);
    assert.deepEqual(shown(await search('203.0.113.6')), ['1:1 203.0.113.66', '1:2 203.0.113.6']);
  });

  it('reads the copy in force, not a newer one that is held', async (t) => {
    const { store, compile, listsFolder, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, namesText(2000));
    await compile([block(1)]);
    await store(1, 'held.example\n');
    const outcome = await compile([block(1)]);
    assert.equal(outcome.kind, 'held');
    const request = { listsFolder, listIds: [1], maxHits: 20, untilMs: 1, isExact: true };
    const hits = async (text: string): Promise<number> =>
      (await searchCopies({ ...request, snapshotPath, text }, () => 0)).hits.length;
    assert.deepEqual([await hits('host-1999.example'), await hits('held.example')], [1, 0]);
  });

  it('continues when a copy cannot be read, and reports that it is incomplete', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    for (const id of [1, 2]) await store(id, 'track.example\n');
    const described = join(listsFolder, '1', '1.json');
    writeFileSync(
      described,
      readFileSync(described, 'utf8').replace('"unpackedBytes":14', '"unpackedBytes":15'),
    );
    const request = { listsFolder, listIds: [1, 2], text: 'track', maxHits: 20, untilMs: 1, isExact: false };
    const outcome = await searchCopies(request, () => 0);
    assert.equal(outcome.isComplete, false);
    assert.deepEqual(shown(outcome).slice(-1), ['2:1 track.example']);
  });

  const names = `0.0.0.0 ads.example www.ads.example
ads.example.net
xads.example
||ads.example^
||example^$dnstype=A
@@||www.ads.example^|
*.ads.example
address=/.ads.example/0.0.0.0
/^ads/
# ads.example
www.bücher.example
||xn--bcher-kva.example^
ADS.EXAMPLE
`;
  const exact: readonly (readonly [string, readonly number[]])[] = [
    ['ads.example', [1, 4, 5, 7, 8, 13]],
    ['www.ads.example', [1, 4, 5, 6, 7, 8]],
    ['x.www.ads.example', [4, 5, 6, 7, 8]],
    ['xads.example', [3, 5]],
    ['www.xn--bcher-kva.example', [5, 11, 12]],
    ['www.bücher.example', [5, 11, 12]],
    ['ads.example.net', [2]],
    ['net', []],
    ['nothing.test', []],
  ];
  for (const [name, lines] of exact)
    it(`finds the rules that concern ${name}, including those for parent domains`, async (t) => {
      const { about } = await scene(t, [names]);
      const { hits, counts } = await about(name);
      assert.deepEqual([...new Set(hits.map(({ line }) => line))], lines, JSON.stringify(hits));
      assert.equal(counts[0]?.hits, hits.length);
    });

  it('finds every line of a long text with its line number', async (t) => {
    const search = await scene(t, [
      `${namesText(30_000)}${'# host-\r '.repeat(20_000)}host-30500.example\n${namesText(1000, 30_000)}`,
    ]);
    assert.equal((await search('host-', 5)).counts[0]?.hits, 31_000);
    for (const [at, line] of [
      [0, 1],
      [2730, 2731],
      [15_432, 15_433],
      [29_999, 30_000],
      [30_500, 30_502],
    ] as const)
      assert.deepEqual(shown(await search(`host-${at}.`)), [`1:${line} host-${at}.example`]);
  });

  it('ends at the deadline and reports that it is incomplete', async (t) => {
    const search = await scene(t, [namesText(30_000), namesText(10)]);
    let nowMs = 0;
    const outcome = await search('host', 5, 50, () => (nowMs += 10));
    assert.equal(outcome.isComplete, false);
    assert.ok((outcome.counts[0]?.hits ?? 0) < 30_000 && outcome.counts.length === 1);
    assert.equal((await search('host')).isComplete, true);
  });
});
