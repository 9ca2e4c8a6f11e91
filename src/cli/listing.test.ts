import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showJson, showList } from './listing.ts';
import { recorder } from '#testing/cli/terminal';

describe('output of a reply', () => {
  const columns = { n: (value: number) => String(value) };

  it('is a table if there are items', () => {
    const { out, err, terminal } = recorder();
    assert.equal(showList(terminal, { items: [1], columns, empty: 'None.' }), 0);
    assert.deepEqual([out, err], [['n\n1'], []]);
  });

  it('is one sentence on stderr if there are no items', () => {
    const { out, err, terminal } = recorder();
    assert.equal(showList(terminal, { items: [], columns, empty: 'None.' }), 0);
    assert.deepEqual([out, err], [[], ['None.']]);
  });

  it('is the JSON of the reply without `took` with --json', () => {
    const { out, terminal } = recorder();
    showJson(terminal, { groups: [{ took: 1 }], took: 0.1 });
    assert.deepEqual(JSON.parse(out.join('')), { groups: [{ took: 1 }] });
  });
});
