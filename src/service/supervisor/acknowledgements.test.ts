import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Acknowledgements } from './acknowledgements.ts';

describe('a gathering', () => {
  it('ends when all have acknowledged', async () => {
    const gathering = new Acknowledgements(60_000);
    const round = gathering.begin(1, ['a', 'b']);
    gathering.heard('a', 1);
    gathering.heard('b', 1);
    assert.deepEqual(await round, []);
  });

  it('counts an acknowledgement of a later round, not of an earlier one', async () => {
    const gathering = new Acknowledgements(50);
    const [second, third] = [gathering.begin(2, ['a']), gathering.begin(3, ['a', 'b'])];
    gathering.heard('a', 1);
    gathering.heard('a', 3);
    assert.deepEqual([await second, await third], [[], ['b']]);
  });

  it('ends at the time that it was begun with, and names who is missing', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const ended: (readonly string[])[] = [];
    const round = new Acknowledgements(60_000).begin(0, ['dns1'], 600_000).then((late) => ended.push(late));
    t.mock.timers.tick(599_999);
    await Promise.resolve();
    assert.deepEqual(ended, []);
    t.mock.timers.tick(1);
    await round;
    assert.deepEqual(ended, [['dns1']]);
  });

  it('that is given up ends at once, and names who is missing', async () => {
    const gathering = new Acknowledgements(60_000);
    const round = gathering.begin(1, ['a', 'b']);
    gathering.heard('a', 1);
    gathering.giveUp();
    assert.deepEqual(await round, ['b']);
  });

  it('without members ends at once', async () =>
    assert.deepEqual(await new Acknowledgements(60_000).begin(1, []), []));
});
