import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ExactTimer } from './exact-timer.ts';

/** Time that only the test advances; the timer reads `wallMs`, which may be set independently. */
function scene(context: TestContext, dueMs: number) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { wallMs: 0, dueMs };
  const fired: number[] = [];
  const timer = new ExactTimer(
    () => clock.dueMs - clock.wallMs,
    () => {
      fired.push(clock.wallMs);
      clock.dueMs = Number.POSITIVE_INFINITY;
    },
  );
  context.after(() => timer.stop());
  timer.reschedule();
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed++) {
      clock.wallMs++;
      context.mock.timers.tick(1);
    }
  };
  return { clock, fired, pass, timer };
}

describe('an exact timer', () => {
  for (const dueMs of [1, 999, 1_000, 1_001, 2_500, 10_000])
    it(`that is due after ${dueMs} ms fires in that millisecond, once`, (context) => {
      const { fired, pass } = scene(context, dueMs);
      pass(dueMs - 1);
      assert.deepEqual(fired, []);
      pass(3_000);
      assert.deepEqual(fired, [dueMs]);
    });

  it('that is already due fires at once', (context) => {
    const { fired, pass } = scene(context, 0);
    pass(1);
    assert.equal(fired.length, 1);
  });

  it('waits again when it is called a moment early', (context) => {
    const { clock, fired, pass } = scene(context, 500);
    clock.wallMs -= 0.4;
    pass(500);
    assert.deepEqual(fired, []);
    pass(1);
    assert.equal(fired.length, 1);
  });

  it('fires within a second after the clock was set forward', (context) => {
    const { clock, fired, pass } = scene(context, 100_000_000);
    pass(10);
    clock.wallMs = 200_000_000;
    pass(1_000);
    assert.equal(fired.length, 1);
  });

  it('waits longer after the clock was set back', (context) => {
    const { clock, fired, pass } = scene(context, 5_000);
    pass(4_000);
    clock.wallMs = 0;
    pass(4_999);
    assert.deepEqual(fired, []);
    pass(1);
    assert.deepEqual(fired, [5_000]);
  });

  it('fires earlier when its moment is moved closer', (context) => {
    const { clock, fired, pass, timer } = scene(context, 60_000);
    pass(100);
    clock.dueMs = 150;
    timer.reschedule();
    pass(100);
    assert.deepEqual(fired, [150]);
  });

  it('fires each second for as long as it stays due', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let count = 0;
    const timer = new ExactTimer(
      () => -1,
      () => count++,
    );
    timer.reschedule();
    context.mock.timers.tick(1);
    for (let second = 0; second < 3; second++) context.mock.timers.tick(1_000);
    assert.equal(count, 4);
    timer.stop();
    context.mock.timers.tick(5_000);
    assert.equal(count, 4);
  });
});
