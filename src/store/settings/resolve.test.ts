import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pinned } from './sources.ts';
import { resolveSettings } from './resolve.ts';

const pinned = new Map<string, Pinned>([['web.http', { value: 'pinned:1', source: 'file' }]]);

describe('resolveSettings', () => {
  it('uses the value of the first source that has the setting', () => {
    const stored = new Map<string, unknown>([
      ['web.http', '127.0.0.1:1'],
      ['web.https', '127.0.0.1:2'],
    ]);
    const { values, byPath } = resolveSettings({
      pinned,
      stored,
      defaults: new Map([['storage.dir', '/data']]),
    });
    assert.equal(values.web.http, 'pinned:1');
    assert.equal(byPath.get('web.http')?.source, 'file');
    assert.deepEqual(byPath.get('web.https'), { value: '127.0.0.1:2', source: 'database' });
    assert.deepEqual(byPath.get('storage.dir'), { value: '/data', source: 'default' });
    assert.equal(values.dns.blocking.mode, 'NULL');
  });

  it('ignores stored values that this release does not allow, and warns', () => {
    const stored = new Map<string, unknown>([
      ['dns.workers', 'many'],
      ['no.such.setting', 1],
    ]);
    const { values, warnings } = resolveSettings({ pinned, stored, defaults: new Map() });
    assert.equal(values.dns.workers, 0);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /dns\.workers/);
  });
});
