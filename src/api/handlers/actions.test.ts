import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createActionHandlers, type ActionParts } from './actions.ts';
import type { LiveUpdate } from './live-update.ts';

type Result = Awaited<ReturnType<LiveUpdate['return']>>['value'];

const result = { lists: [{ id: 1, status: 1, number: 2, problem: null }], names: 2, problem: null };

async function* update(texts: readonly string[], end: Extract<Result, object> = result): LiveUpdate {
  yield* texts;
  return end;
}

function requestUpdate(accept: string | undefined, change: Partial<ActionParts>) {
  const headers = accept === undefined ? [] : [{ name: 'accept', value: accept }];
  const { updateLists } = createActionHandlers({
    restart: assert.fail,
    flushCache: assert.fail,
    listsProblem: () => undefined,
    updateLists: () => Promise.resolve(update([])),
    ...change,
  });
  const from = () => ({
    address: 'local',
    userAgent: null,
    isTls: false,
    peer: '127.0.0.1',
    httpVersion: '1.1',
    method: 'POST',
    headers,
    hasSid: false,
  });
  const caller = { kind: 'local' } as const;
  return updateLists({ params: {}, query: {}, body: undefined, caller, from, ifMatch: undefined });
}

async function bodyOf(accept: string | undefined, live: LiveUpdate): Promise<readonly [string, string]> {
  const outcome = await requestUpdate(accept, { updateLists: () => Promise.resolve(live) });
  assert.ok('live' in outcome);
  let text = '';
  for await (const part of outcome.live.parts) text += part;
  return [outcome.live.form, text];
}

describe('an update of lists', () => {
  const nasty = 'a "quoted"\nline with \\ and \u2028';

  it('is streamed as a JSON object with each text on a separate line', async () => {
    for (const texts of [[], ['one'], ['one', nasty, 'three']]) {
      const [form, text] = await bodyOf('*/*', update(texts));
      assert.equal(form, 'json');
      assert.deepEqual(JSON.parse(`${text}}`), { progress: texts, result });
      assert.equal(text.split('\n').length, texts.length + 2);
    }
  });

  it('is streamed as lines of text with the outcome at the end, when the client prefers text', async () => {
    assert.deepEqual(await bodyOf('text/plain', update(['one', 'two'])), ['text', 'one\ntwo\nDone\n']);
    const problem = 'not there';
    const lists = [{ id: 1, status: 4, number: 0, problem }];
    assert.match(
      (await bodyOf('text/plain', update([], { ...result, lists })))[1],
      /^Done, with problems: 1 of 1 lists could not be downloaded\n$/u,
    );
    assert.match(
      (await bodyOf('text/plain', update([], { ...result, problem })))[1],
      /^Done, with problems: not all changes are in force\n$/u,
    );
  });

  it('is refused when the lists could not be read from the database', async () => {
    const outcome = await requestUpdate(undefined, {
      listsProblem: () => 'no table',
      updateLists: assert.fail,
    });
    assert.deepEqual(outcome, { failure: 'collectionUnreadable', hint: 'no table' });
  });
});
