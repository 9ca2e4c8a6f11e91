import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRules } from './find-rules.ts';
import { block, compileScene, wireName } from '#testing/lists/compile-scene';
import { namesText, temporaryFolder } from '#testing/lists/list-scene';

const list = `# ads.example
0.0.0.0 www.ads.example ads.example

||ads.example^$important
! comment
*.ADS.example
@@||fine.ads.example^
||bücher.example^
ads.example.net
0.0.0.0\ttab.example
`;

describe('the lines that concern a name', () => {
  it('are returned in their original form', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, list);
    await store(2, `${namesText(200_000)}\u001b[2Jads.example\nads.example\u202e # turned\n`);
    const lists = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const found = async (...names: readonly string[]): Promise<readonly string[]> =>
      (await findRules({ listsFolder, lists, names: names.map(wireName) }, () => 0)).map(
        ({ listId, line, text, action, reach }) => `${listId}:${line} ${text} (${action} ${reach})`,
      );
    assert.deepEqual(await found('ads.example'), [
      '1:2 0.0.0.0 www.ads.example ads.example (block exact)',
      '1:4 ||ads.example^$important (block below)',
      '1:6 *.ADS.example (block below)',
    ]);
    assert.deepEqual(await found('fine.ads.example', 'xn--bcher-kva.example', 'host-199999.example'), [
      '1:7 @@||fine.ads.example^ (allow below)',
      '1:8 ||bücher.example^ (block below)',
      '2:200000 host-199999.example (block exact)',
    ]);
    assert.deepEqual(await found('tab.example'), ['1:10 0.0.0.0 tab.example (block exact)']);
    assert.deepEqual(await found('s.example', 'example'), []);
  });

  it('come from the requested version', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, 'x.example\nads.example\n');
    await store(1, 'y.example\n');
    const names = [wireName('ads.example')];
    const found = await findRules({ listsFolder, lists: [{ id: 1, version: 1 }], names }, () => 0);
    assert.deepEqual([found[0]?.line, found[0]?.version], [2, 1]);
    assert.deepEqual(await findRules({ listsFolder, lists: [{ id: 1 }], names }, () => 0), []);
  });

  it('come from the compiled copy, and only until the deadline', async (t) => {
    const { store, listsFolder, snapshotPath, compile } = await compileScene(temporaryFolder(t));
    await store(1, 'x.example\nads.example\n');
    await compile([block(1)]);
    await store(1, 'y.example\n');
    const request = { listsFolder, snapshotPath, lists: [{ id: 1 }], names: [wireName('ads.example')] };
    assert.equal((await findRules(request, () => 0))[0]?.line, 2);
    let nowMs = 0;
    assert.deepEqual(await findRules({ ...request, untilMs: 5 }, () => (nowMs += 10)), []);
  });

  it('may concern address ranges', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, `$TTL 60\n@ SOA a b 1 1 1 1 1\n24.0.2.0.192.rpz-ip CNAME .\nads.example CNAME .\n`);
    const request = { listsFolder, lists: [{ id: 1 }], names: [], ranges: ['192.0.2.0/24'] };
    const found = await findRules(request, () => 0);
    assert.deepEqual(
      found.map(({ line, about }) => [line, about]),
      [[3, '192.0.2.0/24']],
    );
  });
});
