import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from './material.ts';
import {
  reasonToRenew,
  reasonToRenewAuthority,
  type RenewalReason,
  type StoredCertificate,
} from './renewal.ts';

const startMs = Date.UTC(2027, 0, 1);
const endMs = startMs + 90 * dayMs;

const good = {
  state: 'present',
  keyMatches: true,
  signedByAuthority: true,
  notBeforeMs: startMs,
  notAfterMs: endMs,
  names: ['localhost', '192.0.2.1', 'old.example'],
} as const;

type Row = [string, StoredCertificate, number, RenewalReason | undefined];

const server: Row[] = [
  ['missing', { state: 'missing' }, startMs, 'missing'],
  ['unreadable', { state: 'unreadable' }, startMs, 'unreadable'],
  ['key of another certificate', { ...good, keyMatches: false }, startMs, 'key-mismatch'],
  ['issued by another authority', { ...good, signedByAuthority: false }, startMs, 'other-authority'],
  ['first moment', good, startMs, undefined],
  ['a millisecond before its first moment', good, startMs - 1, 'not-yet-valid'],
  ['a millisecond before its last third', good, endMs - 30 * dayMs - 1, undefined],
  ['last third', good, endMs - 30 * dayMs, 'ends-soon'],
  ['ended', good, endMs + 1, 'ends-soon'],
  ['a clock that was not set yet', good, 0, undefined],
  ['a name is missing', { ...good, names: ['localhost'] }, startMs, 'names-missing'],
];

for (const [title, stored, nowMs, expected] of server) {
  test(`server certificate: ${title}`, () => {
    assert.equal(reasonToRenew(stored, ['localhost', '192.0.2.1'], nowMs), expected);
  });
}

const long = { ...good, notAfterMs: startMs + 3650 * dayMs, names: [] };
const lastYearMs = long.notAfterMs - 365 * dayMs;

const authority: Row[] = [
  ['missing', { state: 'missing' }, startMs, 'missing'],
  ['key of another certificate', { ...long, keyMatches: false }, startMs, 'key-mismatch'],
  ['signed by another key', { ...long, signedByAuthority: false }, startMs, 'other-authority'],
  ['not valid yet', long, startMs - 1, 'not-yet-valid'],
  ['a millisecond before its last year', long, lastYearMs - 1, undefined],
  ['last year', long, lastYearMs, 'ends-soon'],
];

for (const [title, stored, nowMs, expected] of authority) {
  test(`authority: ${title}`, () => assert.equal(reasonToRenewAuthority(stored, nowMs), expected));
}
