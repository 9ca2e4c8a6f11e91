// Questions in flight: found by all that makes them different, also when their numbers are the same, and
// waiters are counted up to their limit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText } from '#wire';
import { keyOf } from '../cache/reply-keeper.ts';
import { PendingQuestion, PendingTable, maxWaiters } from './pending.ts';

const hashSeed = 1;
const ignore = (): void => undefined;
const events = { onReply: ignore, onFailure: ignore, onForeignRecords: ignore };

const question = (text: string, type: number, hash: number, dnssecOk = false): PendingQuestion => {
  const name = nameFromText(text) ?? new Uint8Array(1);
  return new PendingQuestion(name, hash, keyOf(type, dnssecOk, false), events);
};

test('questions with the same id are kept apart and end in any order', () => {
  const all = [
    question('a.example', 1, 5),
    question('b.example', 1, 5),
    // 5 ^ 1 is 4 ^ 0 and 6 ^ 2.
    question('c.example', 2, 6),
    question('a.example', 2, 6),
    question('a.example', 1, 5 ^ (1 << 16), true),
  ];
  const table = new PendingTable(hashSeed);
  const find = ({ name, hash, key }: PendingQuestion): PendingQuestion | undefined =>
    table.find(name, name.length, hash, key);
  for (const pending of all) {
    assert.equal(find(pending), undefined);
    table.add(pending);
  }
  const left = new Set(all);
  for (const index of [2, 0, 4, 1, 3]) {
    for (const pending of left) assert.equal(find(pending), pending);
    const gone = all[index];
    assert.ok(gone !== undefined);
    table.remove(gone);
    left.delete(gone);
    assert.equal(find(gone), undefined);
  }
});

test('a bounded number of questions wait, and each place is reused', () => {
  const table = new PendingTable(hashSeed);
  const pending = question('a.example', 1, 5);
  table.add(pending);
  for (let count = 0; count < maxWaiters; count++) assert.ok(table.wait(pending) !== undefined);
  assert.equal(table.wait(pending), undefined);
  assert.equal(table.waiting, maxWaiters);
  let waiter = table.remove(pending);
  while (waiter !== undefined) {
    const { next } = waiter;
    table.giveBack(waiter);
    waiter = next;
  }
  assert.equal(table.waiting, 0);
});
