// The meaning of an engine's record: every origin with every kind of rule that it can have, and the numbers
// of statuses against their names in the contract.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queryReplyNames, queryStatusNames } from '#contract/query-names';
import { Origin, reasonNumbers } from '#engine';
import { countsUpstream, edeOf, refinedStatus, replyOf } from './row-mapping.ts';
import { classesOfStatuses, isBlocked, Status, StatusClass, statusesOf } from './statuses.ts';

const table: readonly (readonly [
  origin: number,
  reason: keyof typeof reasonNumbers,
  rcode: number,
  status: string,
])[] = [
  [Origin.forwarded, 'none', 0, 'FORWARDED'],
  [Origin.forwarded, 'exact', 0, 'FORWARDED'],
  [Origin.cached, 'none', 3, 'CACHE'],
  [Origin.stale, 'none', 0, 'CACHE_STALE'],
  [Origin.local, 'none', 0, 'CACHE'],
  [Origin.special, 'special', 3, 'SPECIAL_DOMAIN'],
  [Origin.blocked, 'list', 0, 'GRAVITY'],
  [Origin.blocked, 'exact', 0, 'DENYLIST'],
  [Origin.blocked, 'regex', 0, 'REGEX'],
  [Origin.blocked, 'setting', 0, 'GRAVITY'],
  [Origin.blockedByTarget, 'list', 0, 'GRAVITY_CNAME'],
  [Origin.blockedByTarget, 'exact', 0, 'DENYLIST_CNAME'],
  [Origin.blockedByTarget, 'regex', 0, 'REGEX_CNAME'],
  [Origin.upstreamBlocked, 'none', 0, 'EXTERNAL_BLOCKED_NULL'],
  [Origin.upstreamBlocked | (1 << 4), 'none', 0, 'EXTERNAL_BLOCKED_IP'],
  [Origin.upstreamBlocked | (2 << 4), 'none', 0, 'EXTERNAL_BLOCKED_NULL'],
  [Origin.upstreamBlocked | (3 << 4), 'none', 3, 'EXTERNAL_BLOCKED_NXRA'],
  [Origin.upstreamBlocked | (4 << 4), 'none', 0, 'EXTERNAL_BLOCKED_EDE15'],
  [Origin.failed, 'none', 2, 'FORWARDED'],
  [Origin.failed, 'none', 5, 'UNKNOWN'],
  [77, 'none', 0, 'UNKNOWN'],
];

describe('a record', () => {
  for (const [origin, reason, rcode, status] of table)
    test(`of origin ${origin} by ${reason} with rcode ${rcode} is ${status}`, () => {
      // The verdict between them and the upstream above them do not matter.
      const how = origin | (2 << 8) | (reasonNumbers[reason] << 12) | (3 << 16);
      assert.equal(queryStatusNames[refinedStatus(how, rcode)], status);
    });

  test('with an unknown kind of reply is mapped to OTHER', () => {
    const names = [0, 4, 13, 14, 255].map((kind) => queryReplyNames[replyOf(kind)]);
    assert.deepEqual(names, ['UNKNOWN', 'IP', 'BLOB', 'OTHER', 'OTHER']);
  });

  test('counts for its upstream only when a query was sent to it', () => {
    const counting = queryStatusNames.filter((_, status) => countsUpstream(status));
    const external = ['IP', 'NULL', 'NXRA', 'EDE15'].map((how) => `EXTERNAL_BLOCKED_${how}`);
    assert.deepEqual(counting, ['FORWARDED', ...external]);
  });

  test('has an Extended DNS Error of RFC 8914, or none', () => {
    assert.deepEqual([0, 1 << 24, 16 << 24, 255 << 24].map(edeOf), [255, 0, 15, 254]);
  });
});

describe('a status', () => {
  for (const [key, number] of Object.entries(Status))
    test(`${key} has the number of its name in the contract`, () => {
      const name = key.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase();
      assert.equal(queryStatusNames[number], name);
    });

  test('is in the class that the sums need', () => {
    const of = (wanted: number) => statusesOf(wanted).map((status) => queryStatusNames[status]);
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
