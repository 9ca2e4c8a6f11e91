import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateText } from './blocking.ts';

describe('the state of blocking', () => {
  const nowMs = new Date(2026, 0, 2, 3, 4).getTime();
  const table: readonly (readonly [boolean, number | null, string])[] = [
    [true, null, 'Blocking is on.'],
    [false, null, 'Blocking is off.'],
    [false, 900, 'Blocking is off for another 15 min 0 s, until 2026-01-02 03:19.'],
    [true, 7_200, 'Blocking is on; its timer ends in 2 h 0 min, at 2026-01-02 05:04.'],
  ];
  for (const [blocking, timer, text] of table) {
    it(`with blocking ${blocking} and timer ${timer} is "${text}"`, () =>
      assert.equal(stateText({ blocking, timer, pauses: [] }, nowMs), text));
  }

  it('is followed by one line for each pause', () => {
    const pauses = [
      { group: 'Children', until: null },
      // The service rounds the end up to whole seconds.
      { client: '192.168.1.5', until: nowMs / 1000 + 900.9 },
    ];
    assert.equal(
      stateText({ blocking: true, timer: null, pauses }, nowMs),
      [
        'Blocking is on.',
        'Paused for group "Children" until `sluice blocking on --group "Children"` ends it.',
        'Paused for client 192.168.1.5 for 15 min 0 s, until 2026-01-02 03:19.',
      ].join('\n'),
    );
  });
});
