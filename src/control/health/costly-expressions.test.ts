import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from '#store/database';
import type { StoredDomain, StoredList } from '#store/database/entities';
import { CostlyExpressions } from './costly-expressions.ts';

// Only the fields that the text shows.
const rule = { id: 3, type: 'deny', domain: '(.*a){40}' } as StoredDomain;
// Likewise.
const list = { id: 5, comment: 'Ads' } as StoredList;

function scene() {
  const now = { unfinished: 7, ms: 0 };
  const costly = [
    { listId: 0, ruleId: 3, line: 0 },
    { listId: 5, ruleId: 0, line: 17 },
    { listId: 6, ruleId: 0, line: 2 },
    { listId: 5, ruleId: 0, line: 0 },
  ];
  const expressions = new CostlyExpressions({
    figures: () => ({ unfinished: now.unfinished, costly }),
    read: {
      domains: new Collection('domains', ({ domain }) => domain, [rule]),
      lists: new Collection('lists', ({ address }) => address, [list]),
    },
    steadyMs: () => now.ms,
  });
  return { now, expressions };
}

describe('expressions that exceeded the step budget', () => {
  it('are not reported when they were counted before the thread started', () => {
    const { now, expressions } = scene();
    assert.equal(expressions.find(), undefined);
    now.ms += 1000;
    assert.equal(expressions.find(), undefined);
  });

  it('are reported with the most expensive rules, until ten minutes after the last time', () => {
    const { now, expressions } = scene();
    expressions.find();
    now.unfinished += 1;
    const text = expressions.find() ?? '';
    assert.match(
      text,
      /rule \(\.\*a\)\{40\}; line 17 of the list Ads; line 2 of the list number 6; rules for .* list Ads\./,
    );
    now.ms += 599_999;
    assert.equal(expressions.find(), text);
    now.ms += 1;
    assert.equal(expressions.find(), undefined);
    now.unfinished += 1;
    assert.equal(expressions.find(), text);
  });
});
