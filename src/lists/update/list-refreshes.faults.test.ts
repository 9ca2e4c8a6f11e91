// A hundred updates in a row, each with a changed list, free all memory that they allocate. `npm run soak`
// does the same on the running program, with its threads.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadPatternCheck } from '#policy';
import { compileLists } from '../compile/compile-lists.ts';
import { namesText } from '#testing/lists/list-scene';
import { serviceScene } from '#testing/lists/service-scene';

const ignore = (): void => undefined;

const names = 2000;
const refreshes = 100;
const warmUp = 80;
/** A quarter of what leaking one text of the list per refresh would add up to. */
const maxGrowthBytes = 1_000_000;

setFlagsFromString('--expose-gc');
// The flag above puts this function into every new context.
const collect = runInNewContext('gc') as () => void;

/** Collects several times, because some memory is freed late. */
async function usedBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await sleep(50);
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

it('memory does not grow in a hundred refreshes of a list', async (t) => {
  const checkPattern = await loadPatternCheck();
  const scene = await serviceScene(t, {
    emit: { 'lists.progress': ignore, 'lists.compiled': ignore, 'lists.held': ignore },
    log: { error: assert.fail, warn: assert.fail, info: () => undefined, debug: () => undefined },
    compiler: {
      compile: (request) => compileLists(request, { steadyMs: () => 0, memoryBytes: () => 0, checkPattern }),
      check: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    },
  });
  const list = scene.add(namesText(names));
  const refresh = async (turn: number): Promise<void> => {
    scene.rewrite(list, namesText(names, turn));
    const reader = scene.service.update().read();
    for (let next = await reader.next(); ; next = await reader.next()) {
      if (next.done !== true) continue;
      assert.deepEqual([next.value.problem, next.value.names], [undefined, names]);
      return;
    }
  };
  for (let turn = 0; turn < warmUp; turn++) await refresh(turn);
  const before = await usedBytes();
  for (let turn = warmUp; turn < warmUp + refreshes; turn++) await refresh(turn);
  const grown = (await usedBytes()) - before;
  t.diagnostic(`grown by ${grown} bytes in ${refreshes} refreshes`);
  assert.ok(grown < maxGrowthBytes, `grown by ${grown} bytes`);
  assert.equal(scene.service.copiesOf(list).copies.length, 5);
});
