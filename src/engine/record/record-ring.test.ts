// The ring of records with a reader in step and with one that is too slow: every record arrives whole and in
// order, or is counted as dropped; and head and tail go round at 2^32.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '#testing/random';
import { maxRecordBytes, recordHeaderBytes, RecordWord } from './layout.ts';
import { makeRecordRing, RecordReader, RecordWriter } from './record-ring.ts';

/** Fills a record with what follows from its number, so that a torn one shows. */
function write(writer: RecordWriter, number: number, nameLength: number): boolean {
  const at = writer.begin(nameLength);
  if (at < 0) return false;
  writer.doubles[at >> 3] = number;
  for (let word: number = RecordWord.durationUs; word < recordHeaderBytes / 4; word++)
    writer.words[(at >> 2) + word] = number * 31 + word;
  writer.words[(at >> 2) + RecordWord.sizes] = nameLength;
  for (let i = 0; i < nameLength; i++) writer.bytes[at + recordHeaderBytes + i] = number + i;
  return true;
}

function read(reader: RecordReader, at: number): number {
  const number = reader.doubles[at >> 3] ?? -1;
  const nameLength = reader.words[(at >> 2) + RecordWord.sizes] ?? -1;
  for (let word: number = RecordWord.durationUs; word < recordHeaderBytes / 4; word++)
    if (word !== RecordWord.sizes) assert.equal(reader.words[(at >> 2) + word], (number * 31 + word) | 0);
  for (let i = 0; i < nameLength; i++)
    assert.equal(reader.bytes[at + recordHeaderBytes + i], (number + i) & 0xff);
  return number;
}

interface Pace {
  readonly title: string;
  readonly batch: number;
  readonly takes: number;
  /** Where head and tail begin. */
  readonly start: number;
}

const paces: readonly Pace[] = [
  { title: 'a reader in step', batch: 5, takes: 50, start: 0 },
  { title: 'a reader that is too slow', batch: 9, takes: 4, start: 0 },
  { title: 'round the end of the counters', batch: 5, takes: 50, start: 0x7fffff00 },
  { title: 'round the end of the counters, slowly', batch: 9, takes: 4, start: -4000 },
];

describe('records', () => {
  for (const { title, batch, takes, start } of paces)
    test(title, () => {
      const memory = makeRecordRing(4096);
      new Int32Array(memory).fill(start, 0, 2);
      const writer = new RecordWriter(memory);
      const reader = new RecordReader(memory);
      const random = new Random(start);
      const written: number[] = [];
      const got: number[] = [];
      let dropped = 0;
      for (let number = 1; number <= 20_000; number++) {
        if (write(writer, number, 1 + random.below(255))) written.push(number);
        else dropped++;
        if (number % batch !== 0) continue;
        writer.publish();
        const next = reader.nextMs;
        const before = got.length;
        reader.read(takes, (at) => got.push(read(reader, at)));
        assert.equal(got[before] ?? Infinity, next);
      }
      writer.publish();
      reader.read(Infinity, (at) => got.push(read(reader, at)));
      assert.deepEqual(got, written);
      assert.equal(reader.dropped, dropped);
      assert.equal(dropped > 0, takes < batch);
    });

  test('records are visible once published, and a new writer continues after the last one', () => {
    const memory = makeRecordRing(1);
    const reader = new RecordReader(memory);
    const writer = new RecordWriter(memory);
    write(writer, 7, 20);
    assert.equal(
      reader.read(9, () => assert.fail('not published')),
      0,
    );
    writer.publish();
    write(writer, 8, 20);
    const next = new RecordWriter(memory);
    write(next, 9, 20);
    next.publish();
    const got: number[] = [];
    assert.equal(
      reader.read(9, (at) => got.push(read(reader, at))),
      2,
    );
    assert.deepEqual(got, [7, 9]);
    assert.ok(memory.byteLength >= 4 * maxRecordBytes);
  });
});
