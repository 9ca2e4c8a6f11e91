// Searches and explanations that run in compile threads: the limit on concurrent ones, and empty results.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { block, compileScene } from '#testing/lists/compile-scene';
import { temporaryFolder } from '#testing/lists/list-scene';
import { threadEntry } from '#testing/service/thread-entry';
import { ListQuestions } from '#control/explain';

/** Long enough for a thread on a busy machine. */
const ms = 60_000;
const times = { searchMs: ms, maxSearchMs: ms, findMs: ms, maxFindMs: ms, maxExplainMs: ms };

function questionsIn(dataDir: string): ListQuestions {
  return new ListQuestions(
    { dataDir, compileCacheDir: join(dataDir, 'compiled'), version: '1', entry: threadEntry('compile') },
    times,
  );
}

async function scene(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const { store, compile } = await compileScene(dataDir);
  await store(1, 'one.example\nads.example\n');
  await compile([block(1)]);
  return questionsIn(dataDir);
}

const wanted = { text: 'ads', isExact: false, maxHits: 5, listIds: [1], regexes: [{ id: 9, domain: '^a' }] };
const rule = {
  row: 'listBlock',
  outcome: 'holds',
  isWinner: true,
  action: 'block',
  isImportant: false,
  kind: 'name',
  reach: 'exact',
  about: 'ads.example',
  listId: 1,
  ruleId: 0,
  line: 0,
} as const;

describe('ListQuestions', () => {
  it('runs two searches at once and refuses a third until one has ended', async (t) => {
    const questions = await scene(t);
    const [first, second, third] = await Promise.all([
      questions.search(wanted),
      questions.search(wanted),
      questions.search(wanted),
    ]);
    assert.deepEqual([first?.hits[0]?.line, second?.regexIds, third], [2, [9], undefined]);
    assert.equal((await questions.search(wanted))?.isComplete, true);
  });

  it('looks up the lines of rules, but not when all of them are known', async (t) => {
    const questions = await scene(t);
    const [found] = await questions.lines([rule]);
    assert.deepEqual([found?.line, found?.text], [2, 'ads.example']);
    assert.deepEqual(await questions.lines([{ ...rule, listId: 5 }]), []);
    assert.deepEqual(
      await questions.lines([
        { ...rule, line: 7 },
        { ...rule, listId: 0, ruleId: 3 },
      ]),
      [],
    );
  });

  it('returns undefined for an explanation without a stored policy', async (t) => {
    const inquiry = { name: Uint8Array.of(1, 0x61, 0), type: 1, client: new Uint8Array(16) };
    assert.equal(await questionsIn(temporaryFolder(t)).explain(inquiry), undefined);
  });
});
