import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Acknowledgements } from './acknowledgements.ts';

describe('a round of acknowledgements', () => {
  it('ends when all members have acknowledged', async () => {
    const acknowledgements = new Acknowledgements(60_000);
    const round = acknowledgements.begin(1, ['a', 'b']);
    acknowledgements.acknowledge('a', 1);
    acknowledgements.acknowledge('b', 1);
    assert.deepEqual(await round, []);
  });

  it('counts an acknowledgement of a later round, not of an earlier one', async () => {
    const acknowledgements = new Acknowledgements(50);
    const [second, third] = [acknowledgements.begin(2, ['a']), acknowledgements.begin(3, ['a', 'b'])];
    acknowledgements.acknowledge('a', 1);
    acknowledgements.acknowledge('a', 3);
    assert.deepEqual([await second, await third], [[], ['b']]);
  });

  it('ends after its own timeout and names the missing members', async (t) => {
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

  it('that is cancelled ends at once and names the missing members', async () => {
    const acknowledgements = new Acknowledgements(60_000);
    const round = acknowledgements.begin(1, ['a', 'b']);
    acknowledgements.acknowledge('a', 1);
    acknowledgements.cancel();
    assert.deepEqual(await round, ['b']);
  });

  it('without members ends at once', async () =>
    assert.deepEqual(await new Acknowledgements(60_000).begin(1, []), []));
});
