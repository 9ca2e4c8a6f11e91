import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseUserRule, trustPatterns } from '../rules/user-rule.ts';
import { createOwnLayer, type OwnRule } from './own-layer.ts';

const key = Int32Array.of(1, 2, 3, 4);

function ownRules(domains: readonly string[]): readonly OwnRule[] {
  return domains.flatMap((domain, id) => {
    const parsed = parseUserRule({ domain, kind: 'exact', action: 'block' }, trustPatterns);
    return parsed.isRule ? [{ id, groups: [0], rule: parsed.rule }] : [];
  });
}

function refusedOf(domains: readonly string[]): number {
  return createOwnLayer(ownRules(domains), key).refused;
}

describe('rules of the user', () => {
  it('may be a thousand for one name; those above the limit are counted as refused', () => {
    const answers = Array.from({ length: 6000 }, (_, at) => `a.example;reply=10.0.${at >> 8}.${at & 255}`);
    assert.equal(refusedOf(answers.slice(0, 1000)), 0);
    const refused = refusedOf(answers);
    assert.ok(refused > 3000 && refused < 5000, `${refused} were refused`);
  });

  it('may be as many as the database can store', () => {
    const plain = Array.from({ length: 100_000 }, (_, at) => `h${at}.example`);
    const address = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    assert.equal(refusedOf(plain), 0);
    assert.equal(refusedOf(plain.map((name, at) => `${name};reply=${address(at)}`)), 0);
  });

  it('say which clients they name by more than an address or id', () => {
    const { clientNames } = createOwnLayer(
      ownRules([
        'a.example;client=192.168.1.5,fd00::/8,7',
        'b.example;client=Tablet,~02-42-ac-11-00-05',
        'c.example;client=!:eth1,tablet',
        'd.example',
      ]),
      key,
    );
    assert.deepEqual([...clientNames].toSorted(), ['02:42:ac:11:00:05', ':eth1', 'tablet']);
  });
});
