import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showJson, showList } from './listing.ts';
import { recorder } from '#testing/cli/terminal';

describe('what is shown', () => {
  const columns = { n: (value: number) => String(value) };

  it('items are a table on a terminal', () => {
    const { out, err, terminal } = recorder();
    assert.equal(showList(terminal, { items: [1], columns, empty: 'None.' }), 0);
    assert.deepEqual([out, err], [['n\n1'], []]);
  });

  it('no items are one sentence on standard error', () => {
    const { out, err, terminal } = recorder();
    assert.equal(showList(terminal, { items: [], columns, empty: 'None.' }), 0);
    assert.deepEqual([out, err], [[], ['None.']]);
  });

  it('with --json the reply is printed without `took`', () => {
    const { out, terminal } = recorder();
    showJson(terminal, { groups: [{ took: 1 }], took: 0.1 });
    assert.deepEqual(JSON.parse(out.join('')), { groups: [{ took: 1 }] });
  });
});
