import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type DnsPlan, readPlan, writePlan } from './dns-plan.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-dns-plan-'));
after(() => rmSync(dir, { recursive: true }));
const path = join(dir, 'dns.json');
const version = '1.2.3';
const parts = {
  listen: '127.0.0.1:5300',
  fallsBack: true,
  workers: 2,
  options: { version: 1, policy: '', rules: [], engine: {}, forwarding: {} },
  history: {},
};
// readPlan checks only that these parts exist.
const plan = parts as unknown as DnsPlan;

/** The content of the file with this change and a matching checksum. */
function rewritten(change: (json: string) => string): string {
  const json = change(readFileSync(path, 'utf8').replace(/"crc32":\d+,/u, ''));
  return `{"crc32":${crc32(json)},${json.slice(1)}`;
}

describe('the stored plan', () => {
  test('is read as it was written', () => {
    assert.equal(writePlan(dir, plan, version), undefined);
    assert.deepEqual(readPlan(dir, version), plan);
    writeFileSync(
      path,
      rewritten((json) => json),
    );
    assert.deepEqual(readPlan(dir, version), plan);
  });

  const rows: readonly (readonly [what: string, damaged: () => string])[] = [
    ['that is truncated', () => readFileSync(path, 'utf8').slice(0, 100)],
    ['whose checksum does not match', () => readFileSync(path, 'utf8').replace('5300', '5301')],
    ['of another format', () => rewritten((json) => json.replace(/"format":\d+/u, '"format":0'))],
    ['of another version', () => rewritten((json) => json.replace(version, '1.2.4'))],
    ['without options', () => rewritten((json) => json.replace('"options"', '"others"'))],
  ];
  for (const [what, damaged] of rows)
    test(`${what} is ignored`, () => {
      writePlan(dir, plan, version);
      const before = readFileSync(path, 'utf8');
      const text = damaged();
      assert.notEqual(text, before, 'Nothing was changed.');
      writeFileSync(path, text);
      assert.equal(readPlan(dir, version), undefined);
    });
});
