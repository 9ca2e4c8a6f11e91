import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import type { Change, ChangeOutcome } from './change.ts';
import { databaseTrouble, troubleText } from '#platform/sqlite';
import { watchTrouble } from './trouble.ts';
import { storageFailure, writeFailure } from './write-failure.ts';

const sqliteError = (errcode: number): Error => Object.assign(new Error('as SQLite says'), { errcode });

describe('databaseTrouble', () => {
  const cases: readonly (readonly [errcode: number, trouble: string | undefined])[] = [
    [5, 'conflict'],
    [5 | (2 << 8), 'conflict'],
    [6, 'conflict'],
    [8, 'readonly'],
    [8 | (4 << 8), 'readonly'],
    [10, 'unavailable'],
    [10 | (4 << 8), 'unavailable'],
    [11, 'damaged'],
    [13, 'full'],
    [14, 'unavailable'],
    [26, 'damaged'],
    [19, undefined],
    [2067, undefined],
    [1, undefined],
  ];
  for (const [errcode, trouble] of cases) {
    it(`${errcode}: ${trouble ?? 'a bug'}`, () =>
      assert.equal(databaseTrouble(sqliteError(errcode)), trouble));
  }

  it('of an error without a code is undefined', () => {
    for (const error of [new Error('x'), 'x', undefined]) assert.equal(databaseTrouble(error), undefined);
  });

  it('has an explanation with the text of SQLite', () =>
    assert.match(troubleText(sqliteError(13)), /the disk is full \(as SQLite says\)/));
});

describe('storageFailure', () => {
  const cases: readonly (readonly [what: string, error: unknown, failure: string | undefined])[] = [
    ['a full disk', sqliteError(13), 'databaseAway'],
    ['a database that another program holds', sqliteError(5), 'databaseAway'],
    ['a damaged file', sqliteError(11), 'databaseAway'],
    ['a violated constraint', sqliteError(19), undefined],
    ['a bug', new TypeError('x'), undefined],
  ];
  for (const [what, error, failure] of cases)
    it(`of ${what} is ${failure ?? 'none'}`, () => assert.equal(storageFailure(error)?.failure, failure));

  it('of too many changes is tooManyRequests', () =>
    assert.equal(writeFailure({ trouble: 'busy', problem: '' }).failure, 'tooManyRequests'));
});

describe('watchTrouble', () => {
  const failing: ChangeOutcome<never> = { ok: false, trouble: 'full', problem: 'the disk is full' };

  it('remembers a failed change until a write works again', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    let isFull = true;
    const change = (async () => failing) as unknown as Change; // Only its outcome matters here.
    const tryToWrite = () => {
      if (isFull) throw sqliteError(13);
    };
    const watch = watchTrouble({ change, tryToWrite, onDamaged: assert.fail });
    assert.equal(watch.trouble(), undefined);
    await watch.change('me', async () => undefined);
    assert.equal(watch.trouble(), 'the disk is full');
    context.mock.timers.tick(2_000);
    assert.match(watch.trouble() ?? '', /the disk is full/);
    isFull = false;
    context.mock.timers.tick(2_000);
    assert.equal(watch.trouble(), undefined);
  });

  it('still reports trouble after a change that wrote nothing', async () => {
    let isFull = true;
    const outcomes: ChangeOutcome<undefined>[] = [
      failing,
      { ok: true, value: undefined, version: undefined },
    ];
    const next = { ok: true, value: undefined };
    const change = (async () => outcomes.shift() ?? next) as unknown as Change; // Only outcomes matter here.
    const tryToWrite = () => {
      if (isFull) throw sqliteError(13);
    };
    const watch = watchTrouble({ change, tryToWrite, onDamaged: assert.fail });
    for (let call = 0; call < 2; call++) await watch.change('me', async () => undefined);
    assert.match(watch.trouble() ?? '', /the disk is full/);
    isFull = false;
    await watch.change('me', async () => undefined);
    assert.equal(watch.trouble(), undefined);
    watch.stop();
  });

  it('reports trouble that exists at the start, and its end', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    let isFull = true;
    const onOver = mock.fn();
    const tryToWrite = () => {
      if (isFull) throw sqliteError(13);
    };
    const change = (async () => failing) as unknown as Change; // Never called.
    const watch = watchTrouble({ change, tryToWrite, already: 'no room', onOver, onDamaged: assert.fail });
    assert.equal(watch.trouble(), 'no room');
    context.mock.timers.tick(2_000);
    assert.equal(onOver.mock.callCount(), 0);
    isFull = false;
    context.mock.timers.tick(4_000);
    assert.equal(watch.trouble(), undefined);
    assert.equal(onOver.mock.callCount(), 1);
  });

  it('reports a damaged file at once', async () => {
    const onDamaged = mock.fn();
    const damaged: ChangeOutcome<never> = { ok: false, trouble: 'damaged', problem: 'damaged' };
    const change = (async () => damaged) as unknown as Change; // Only its outcome matters here.
    const watch = watchTrouble({ change, tryToWrite: () => undefined, onDamaged });
    await watch.change('me', async () => undefined);
    assert.deepEqual(onDamaged.mock.calls[0]?.arguments, ['damaged']);
    watch.stop();
  });
});
