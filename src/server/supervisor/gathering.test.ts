import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gathering } from './gathering.ts';

describe('a gathering', () => {
  it('ends when all have acknowledged', async () => {
    const gathering = new Gathering(60_000);
    const round = gathering.begin(1, ['a', 'b']);
    gathering.heard('a', 1);
    gathering.heard('b', 1);
    assert.deepEqual(await round, []);
  });

  it('counts an acknowledgement of a later round, not of an earlier one', async () => {
    const gathering = new Gathering(50);
    const [second, third] = [gathering.begin(2, ['a']), gathering.begin(3, ['a', 'b'])];
    gathering.heard('a', 1);
    gathering.heard('a', 3);
    assert.deepEqual([await second, await third], [[], ['b']]);
  });

  it('without members ends at once', async () =>
    assert.deepEqual(await new Gathering(60_000).begin(1, []), []));
});
