import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEach, outcomeOf } from './each.ts';
import { recorder } from '#testing/cli/terminal';

describe('several arguments of one command', () => {
  const refused = { ok: false, status: 404, message: 'Not found', hint: null } as const;

  it('are all processed; one failure makes the command fail', async () => {
    const { out, err, terminal } = recorder();
    const code = await forEach(terminal, ['a', 'b', 'c'], async (name) =>
      outcomeOf({ thing: 'group', name }, 'removed', name === 'b' ? refused : { ok: true }),
    );
    assert.equal(code, 1);
    assert.deepEqual(out, ['Group "a" was removed.', 'Group "c" was removed.']);
    assert.deepEqual(err, ['There is no group "b".']);
  });

  it('exit with code 0 when all succeed', async () => {
    assert.equal(await forEach(recorder().terminal, [1], async () => ({ ok: true, text: '' })), 0);
  });
});
