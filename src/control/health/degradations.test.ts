import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '#platform/log';
import { Degradations, type Degradation, type Finding } from './degradations.ts';

function scene() {
  const clock = { nowMs: 1_000 };
  const lines: string[] = [];
  const messages: (readonly [string, string | undefined])[] = [];
  const changes: (readonly Degradation[])[] = [];
  const health = new Degradations({
    wallMs: () => clock.nowMs,
    log: createLog({
      thread: 'api',
      level: () => 'info',
      format: 'text',
      nowMs: () => 0,
      write: (line) => void lines.push(line),
    }),
    putMessage: (part, text) => void messages.push([part, text]),
    onChange: (all) => void changes.push(all),
  });
  return { clock, lines, messages, changes, health };
}

describe('a degradation', () => {
  it('emits one log line, one message and one event when it begins, and again when it ends', () => {
    const { clock, lines, messages, changes, health } = scene();
    let reason: string | undefined;
    health.watch('history', () => reason);
    assert.deepEqual(health.now(), []);
    reason = 'The disk is full.';
    const [found] = health.now();
    clock.nowMs = 9_000;
    assert.deepEqual(health.now(), [found], 'The start time does not change.');
    assert.deepEqual([found?.part, found?.reason, found?.sinceMs], ['history', 'The disk is full.', 1_000]);
    reason = undefined;
    assert.deepEqual([health.now(), health.now()], [[], []]);
    assert.equal(lines.length, 2, lines.join(''));
    assert.match(lines[0] ?? '', /warn .*DEGRADED: The disk is full\. part=history/u);
    assert.match(lines[1] ?? '', /info .*The part history works again part=history seconds=8/u);
    assert.deepEqual(messages, [
      ['history', 'The disk is full.'],
      ['history', undefined],
    ]);
    assert.deepEqual(
      changes.map(({ length }) => length),
      [1, 0],
    );
  });

  it('whose reason changes keeps its start time', () => {
    const { clock, messages, health } = scene();
    const finding: { now: Finding } = { now: { reason: 'one' } };
    health.watch('dns', () => finding.now);
    health.check();
    clock.nowMs = 5_000;
    finding.now = { reason: 'two', isFailing: true };
    assert.deepEqual(health.now(), [{ part: 'dns', reason: 'two', isFailing: true, sinceMs: 1_000 }]);
    assert.deepEqual(messages.at(-1), ['dns', 'two']);
  });

  it('of a part with several sources has all their reasons', () => {
    const { health } = scene();
    health.watch('lists', () => 'one.');
    health.watch('lists', () => undefined);
    health.watch('lists', () => ({ reason: 'two.', hasMessage: true }));
    assert.deepEqual(
      health.now().map(({ reason, hasMessage }) => [reason, hasMessage]),
      [['one. two.', false]],
    );
  });

  it('with a message of another component puts none', () => {
    const { messages, health } = scene();
    health.watch('lists', () => ({ reason: 'not compiled', hasMessage: true }));
    health.check();
    assert.deepEqual(messages, [['lists', undefined]]);
  });

  it('does not begin after stop', () => {
    const { health } = scene();
    const found: { reason?: string } = {};
    health.watch('dns', () => found.reason);
    health.check();
    health.stop();
    found.reason = 'All workers end.';
    assert.deepEqual(health.now(), []);
  });
});
