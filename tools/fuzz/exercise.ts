// Runs every function of the codec on a packet and combines the results into one digest. Two runs on the same
// packet with different bytes around it must give the same digest; otherwise the codec read outside the
// packet. Invariants that hold for every packet are asserted on the way.

import assert from 'node:assert/strict';

import {
  accept,
  AnswerWriter,
  Class,
  copyKept,
  copyWithoutOpt,
  extendedError,
  fullRcodeOf,
  HEADER_BYTES,
  hashName,
  ignored,
  isBelowOrSame,
  MessageCheck,
  NAME_BUFFER_BYTES,
  nameFromText,
  nameLengthOf,
  QueryView,
  questionName,
  readName,
  readNameAsWritten,
  RecordCursor,
  recordText,
  Rcode,
  Section,
  skipName,
  SvcParamCursor,
  ttlOffsets,
  Type,
  writeHeaderError,
} from '#wire';

import { MAX_PACKET_BYTES } from './packets.ts';

const SEED = 77;
const GUARD = 0xa5;
const GUARD_BYTES = 16;
const OUT_AT = GUARD_BYTES;
/** Answers are truncated at every length between a bare header and the full answer. */
const LIMIT_SPREAD = 240;
/** The smallest record: one byte of name and the fixed fields. */
const MIN_RECORD_BYTES = 11;

const view = new QueryView(SEED);
const writer = new AnswerWriter();
const cursor = new RecordCursor();
const params = new SvcParamCursor();
const check = new MessageCheck();
const keep = new Uint8Array(200);
const rewritten = new Uint8Array(65_535);
const name = new Uint8Array(NAME_BUFFER_BYTES);
const ttls = new Uint16Array(200);
const out = new Uint8Array(OUT_AT + MAX_PACKET_BYTES + 600);
/** Shares no label with any packet. */
const other = nameFromText('some.other-name.nowhere') ?? new Uint8Array(1);
const loopback = Uint8Array.of(127, 0, 0, 1);

/** The digest of all results so far. */
let digest = 0;

function note(value: number): void {
  digest = (Math.imul(digest ^ value, 0x9e3779b1) + (digest >>> 15)) | 0;
}

function noteBytes(bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at += 1) note(bytes[at] ?? -1);
}

function noteText(text: string): void {
  for (let at = 0; at < text.length; at += 1) note(text.charCodeAt(at));
}

function guard(at: number): void {
  for (let index = at; index < at + GUARD_BYTES; index += 1) out[index] = GUARD;
}

function checkGuard(at: number): void {
  for (let index = at; index < at + GUARD_BYTES; index += 1) {
    assert.ok(out[index] === GUARD, 'written outside the buffer');
  }
}

/** `withText` includes the conversion to text, which takes longer than everything else. */
export function exercise(bytes: Uint8Array, start: number, length: number, withText: boolean): number {
  digest = length;
  readAsQuery(bytes, start, length);
  readAsMessage(bytes, start, length);
  walk(bytes, start, length, withText);
  rewrite(bytes, start, length);
  keepSome(bytes, start, length);
  return digest;
}

function readAsQuery(bytes: Uint8Array, start: number, length: number): void {
  const first = accept(bytes, start, length);
  const result = view.read(bytes, start, length);
  note(first);
  note(result);
  if (first !== ignored)
    noteBytes(out, OUT_AT, OUT_AT + writeHeaderError(out, OUT_AT, bytes, start, Rcode.formErr));
  if (result !== 0 && result !== Rcode.badVers) return;
  assert.equal(first, 0);
  assert.equal(nameLengthOf(view.name), view.nameLength);
  assert.equal(view.hash, hashName(view.name, view.nameLength, SEED));
  assert.ok(view.questionEnd <= start + length);
  for (const value of [view.id, view.flags, view.type, view.class, view.udpBytes, view.labelCount])
    note(value);
  noteBytes(view.name, 0, view.nameLength);
  answer(HEADER_BYTES + (((length + view.hash) >>> 0) % LIMIT_SPREAD));
}

/** The answer to any query is well-formed and within its limit. */
function answer(limit: number): void {
  guard(0);
  guard(OUT_AT + limit);
  writer.begin(out, OUT_AT, limit, view, 0, Rcode.noError);
  writer.addName(0, questionName, 5, 1, 60, view.name);
  writer.addName(0, view.name, 5, 1, 60, other);
  writer.addA(other, 60, loopback);
  writer.addSoa(view.name, 60, view.name, view.name, 1, 2, 3, 4, 5);
  if (view.hasEdns) writer.addOpt(1232, view.dnssecOk, 0, 15, loopback);
  const length = writer.finish();
  assert.ok(length <= limit);
  checkGuard(0);
  checkGuard(OUT_AT + limit);
  assert.notEqual(ttlOffsets(out, OUT_AT, length, ttls), -1);
  noteBytes(out, OUT_AT, OUT_AT + length);
}

function readAsMessage(bytes: Uint8Array, start: number, length: number): void {
  if (length < HEADER_BYTES) return;
  for (const ask of [fullRcodeOf, extendedError]) note(ask(bytes, start, length));
  const count = ttlOffsets(bytes, start, length, ttls);
  note(count);
  for (let index = 0; index < count; index += 1) {
    const offset = ttls[index] ?? 0;
    assert.ok(offset >= HEADER_BYTES && offset + 4 <= length);
    note(offset);
  }
}

function walk(bytes: Uint8Array, start: number, length: number, withText: boolean): void {
  let steps = 0;
  note(cursor.start(bytes, start, length) ? 1 : 0);
  while (cursor.next()) {
    steps += 1;
    assert.ok(steps * MIN_RECORD_BYTES <= length, 'more records than fit into the packet');
    assert.ok(cursor.nameAt >= start && cursor.recordEnd <= start + length);
    note(cursor.type ^ (cursor.section << 16));
    note(cursor.ttlSeconds);
    readNameAt(bytes, start, cursor.nameAt, start + length);
    readNameAt(bytes, start, cursor.dataAt, cursor.dataAt + cursor.dataLength);
    walkParams(bytes);
    if (withText) noteText(recordText(cursor));
  }
  note(cursor.malformed ? 1 : 0);
}

function readNameAt(bytes: Uint8Array, start: number, at: number, end: number): void {
  const next = skipName(bytes, at, end);
  assert.ok(next <= end, 'a name that ends after its limit');
  note(next);
  note(readNameAsWritten(bytes, start, at, end, name));
  const size = readName(bytes, start, at, end, name);
  note(size);
  if (size === -1) return;
  assert.equal(nameLengthOf(name), size);
  note(isBelowOrSame(view.name, view.nameLength, name) ? 1 : 0);
  noteBytes(name, 0, size);
}

function walkParams(bytes: Uint8Array): void {
  let steps = 0;
  params.start(bytes, cursor.dataAt, cursor.dataLength);
  while (params.next()) {
    steps += 4;
    assert.ok(steps <= cursor.dataLength, 'more parameters than fit into the record');
    note(params.key);
    noteBytes(bytes, params.valueAt, params.valueAt + params.valueLength);
  }
}

/** A copy without OPT stays readable. */
function rewrite(bytes: Uint8Array, start: number, length: number): void {
  const stripped = copyWithoutOpt(bytes, start, length, out, OUT_AT);
  note(stripped);
  if (stripped === -1) return;
  assert.ok(stripped <= length);
  cursor.start(out, OUT_AT, stripped);
  while (cursor.next()) assert.ok(cursor.type !== Type.OPT || cursor.section !== Section.additional);
  assert.ok(!cursor.malformed);
  noteBytes(out, OUT_AT, OUT_AT + stripped);
}

/** A valid message has readable names; a rewritten copy is valid and has no unusual pointers. */
function keepSome(bytes: Uint8Array, start: number, length: number): void {
  const isSound = check.isSound(bytes, start, length);
  note(isSound ? 1 : 0);
  if (!isSound) return;
  note(check.hasOddPointers ? 1 : 0);
  chooseKept(bytes, start, length);
  const size = copyKept(bytes, start, length, keep, rewritten);
  assert.ok(size !== -1, 'a valid message cannot be rewritten');
  assert.ok(check.isSound(rewritten, 0, size) && !check.hasOddPointers, 'the rewritten message is not valid');
  noteBytes(rewritten, 0, size);
  cursor.start(bytes, start, length);
  while (cursor.next()) assert.ok(readName(bytes, start, cursor.nameAt, start + length, name) > 0);
}

/** Selects three of four records; records of other classes are not checked for validity. */
function chooseKept(bytes: Uint8Array, start: number, length: number): void {
  keep.fill(0);
  cursor.start(bytes, start, length);
  for (let index = 0; cursor.next(); index += 1)
    keep[index] = cursor.class === Class.IN && cursor.type !== Type.OPT && index % 4 !== 3 ? 1 : 0;
}
