import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanationText } from './explain.ts';

describe('an explanation on a terminal', () => {
  it('has a line for each step, and marks the one that decided', () => {
    const text = explanationText({
      domain: 'ads.example.org',
      type: 'A',
      client: '192.168.1.5',
      verdict: 'block',
      reason: 'It is blocked.',
      steps: [
        { step: 'local', decides: false, text: 'Not a local name.', kind: 'unknown', aliases: [] },
        { step: 'special', decides: true, text: 'Blocked by\u001b[2J it.', special: true },
      ],
    });
    assert.deepEqual(text.split('\n'), [
      'ads.example.org (A), queried by 192.168.1.5: blocked',
      '  local    Not a local name.',
      '* special  Blocked by\\u001b[2J it.',
    ]);
  });
});
