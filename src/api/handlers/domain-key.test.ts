// Requests with expressions that are long to build: the api thread answers other requests meanwhile.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RE2JS } from 're2js';

import { longestAccepted, longToBuild } from '#testing/policy/build-work';
import { checkedKeys, regexSizeFailure } from './domain-key.ts';

const kind = { type: 'deny', kind: 'regex' } as const;

function hundred(make: (index: number) => string): readonly string[] {
  return Array.from({ length: 100 }, (_, at) => make(at));
}

describe('a request with many expressions', () => {
  const [tooLong = ''] = Object.values(longToBuild);
  const [longest = ''] = Object.values(longestAccepted);

  it('is refused at the first that is long to build, and none is built', async (t) => {
    const built = t.mock.method(RE2JS, 'compile');
    const keys = await checkedKeys(
      kind,
      hundred((at) => `${tooLong}${at}`),
    );
    assert.ok('failure' in keys);
    assert.equal(built.mock.callCount(), 0);
  });

  it('is refused before any is built when all together are long to build', () => {
    const keys = hundred((at) => `${longest}|${at}`).map((domain) => ({ ...kind, domain }));
    const failure = regexSizeFailure(keys);
    assert.match(JSON.stringify(failure), /All expressions together may have 30000 signs/);
    assert.equal(regexSizeFailure(keys.slice(0, 15)), undefined);
  });

  it('lets other work run between two of them', async () => {
    const texts = hundred((at) => `^ads${at}`).slice(0, 20);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const keys = await checkedKeys(kind, texts);
    isDone = true;
    assert.ok(!('failure' in keys));
    assert.ok(turns >= texts.length, `${turns} turns`);
  });
});
