import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRules } from './find-rules.ts';
import { compileScene, wireName } from './test-compile-scene.ts';
import { namesText, temporaryFolder } from './test-list-scene.ts';

const list = `# ads.example
0.0.0.0 www.ads.example ads.example

||ads.example^$important
! comment
*.ADS.example
@@||fine.ads.example^
||bücher.example^
ads.example.net
`;

describe('the lines about a name', () => {
  it('are found as they are written', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, list);
    await store(2, `${namesText(200_000)}\u001b[2Jads.example\nads.example\u202e # turned\n`);
    const lists = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const found = async (...names: readonly string[]): Promise<readonly string[]> =>
      (await findRules({ listsFolder, lists, names: names.map(wireName) })).map(
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
    assert.deepEqual(await found('s.example', 'example'), []);
  });

  it('are those of the version that is in force', async (t) => {
    const { store, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, 'x.example\nads.example\n');
    await store(1, 'y.example\n');
    const names = [wireName('ads.example')];
    const found = await findRules({ listsFolder, lists: [{ id: 1, version: 1 }], names });
    assert.deepEqual([found[0]?.line, found[0]?.version], [2, 1]);
    assert.deepEqual(await findRules({ listsFolder, lists: [{ id: 1 }], names }), []);
  });
});
