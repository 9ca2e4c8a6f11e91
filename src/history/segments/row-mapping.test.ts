// What the engine's record means: every origin with every kind of rule that it can have.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countsUpstream, edeOf, refinedStatus, replyOf } from './row-mapping.ts';
import { classesOfStatuses, isBlocked, StatusClass, statusesOf, statusNames } from './statuses.ts';

const reasons = { none: 0, list: 1, exact: 2, regex: 3, special: 4, setting: 5 } as const;

const table: readonly (readonly [
  origin: number,
  reason: keyof typeof reasons,
  rcode: number,
  status: string,
])[] = [
  [1, 'none', 0, 'FORWARDED'],
  [1, 'exact', 0, 'FORWARDED'],
  [2, 'none', 3, 'CACHE'],
  [3, 'none', 0, 'CACHE_STALE'],
  [4, 'none', 0, 'CACHE'],
  [5, 'special', 3, 'SPECIAL_DOMAIN'],
  [6, 'list', 0, 'GRAVITY'],
  [6, 'exact', 0, 'DENYLIST'],
  [6, 'regex', 0, 'REGEX'],
  [6, 'setting', 0, 'GRAVITY'],
  [7, 'list', 0, 'GRAVITY_CNAME'],
  [7, 'exact', 0, 'DENYLIST_CNAME'],
  [7, 'regex', 0, 'REGEX_CNAME'],
  [8, 'none', 0, 'EXTERNAL_BLOCKED_NULL'],
  [8 | (1 << 4), 'none', 0, 'EXTERNAL_BLOCKED_IP'],
  [8 | (2 << 4), 'none', 0, 'EXTERNAL_BLOCKED_NULL'],
  [8 | (3 << 4), 'none', 3, 'EXTERNAL_BLOCKED_NXRA'],
  [8 | (4 << 4), 'none', 0, 'EXTERNAL_BLOCKED_EDE15'],
  [9, 'none', 2, 'FORWARDED'],
  [9, 'none', 5, 'UNKNOWN'],
  [77, 'none', 0, 'UNKNOWN'],
];

describe('a record', () => {
  for (const [origin, reason, rcode, status] of table)
    test(`of origin ${origin} by ${reason} with rcode ${rcode} is ${status}`, () => {
      // The verdict in between, and the upstream above, do not matter.
      const how = origin | (2 << 8) | (reasons[reason] << 12) | (3 << 16);
      assert.equal(statusNames[refinedStatus(how, rcode)], status);
    });

  test('has a reply of the known ones', () => {
    assert.deepEqual([0, 4, 13, 14, 255].map(replyOf), [0, 4, 13, 10, 10]);
  });

  test('counts for its upstream only when the upstream was asked', () => {
    const counting = statusNames.filter((_, status) => countsUpstream(status));
    const external = ['IP', 'NULL', 'NXRA', 'EDE15'].map((how) => `EXTERNAL_BLOCKED_${how}`);
    assert.deepEqual(counting, ['FORWARDED', ...external]);
  });

  test('has an error of RFC 8914, or none', () => {
    assert.deepEqual([0, 1 << 24, 16 << 24, 255 << 24].map(edeOf), [255, 0, 15, 254]);
  });
});

describe('a status', () => {
  test('is in the class that the sums need', () => {
    const of = (wanted: number) => statusesOf(wanted).map((status) => statusNames[status]);
    assert.deepEqual(of(StatusClass.cached), ['CACHE', 'CACHE_STALE']);
    assert.deepEqual(of(StatusClass.forwarded), ['FORWARDED', 'RETRIED', 'RETRIED_DNSSEC']);
    assert.deepEqual(of(StatusClass.other), ['UNKNOWN', 'IN_PROGRESS']);
    assert.equal(of(StatusClass.blocked).length, 12);
  });

  test('that is unknown is in no class', () => {
    assert.equal(isBlocked(200), false);
    assert.equal(classesOfStatuses[99], StatusClass.other);
  });
});
