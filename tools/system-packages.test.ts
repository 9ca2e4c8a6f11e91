import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { LIST_FILE, namesIn, systemPackagesProblem } from './system-packages.ts';

describe('system packages', () => {
  test('a list has one name per line, comments and blank lines', () => {
    assert.deepEqual(namesIn('# why\nchromium\n\n  dnsutils   # dig\n#none'), ['chromium', 'dnsutils']);
  });

  test('our list names Debian packages', () => {
    const names = namesIn(readFileSync(LIST_FILE, 'utf8'));
    assert.ok(names.length > 0);
    for (const name of names) assert.match(name, /^[a-z\d][a-z\d+.-]+$/);
  });

  test('a list without missing packages has no problem', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'));
    try {
      writeFileSync(join(folder, 'list.txt'), '# nothing\n');
      assert.equal(await systemPackagesProblem(join(folder, 'list.txt')), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
