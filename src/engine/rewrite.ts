// An answer from an entry that cannot go out as it was kept: local aliases stand in front of it, or private
// addresses are taken out. Record by record, into another message, so that names are written anew: a pointer
// means nothing at another place.

import {
  copyBytes,
  Flag,
  NAME_BUFFER_BYTES,
  namesInData,
  readNameAsWritten,
  RecordCursor,
  Section,
  skipName,
  Type,
} from '#wire';
import type { Asked } from './asked.ts';
import { Entry, State } from './cache/entry.ts';
import { flagsOf, replyKindOf } from './cache/entry-facts.ts';
import { writeEntryMessage } from './cache/entry-message.ts';
import { ReplyKind } from './cache/examine.ts';
import { isPast, staleTtlSeconds } from './cache/serve-entry.ts';
import { addAliases } from './local-answers.ts';
import { hasPrivateHint, isPrivateAddress } from './private-address.ts';
import type { EngineState } from './state.ts';

const largestMessage = 65_535;
const message = new Uint8Array(largestMessage);
const data = new Uint8Array(largestMessage);
const ownerName = new Uint8Array(NAME_BUFFER_BYTES);
const targetName = new Uint8Array(NAME_BUFFER_BYTES);
const cursor = new RecordCursor();
/** Records of the type that was asked for that were left of the last answer. */
let leftOfType = 0;

export function rewriteEntry(
  engine: EngineState,
  asked: Asked,
  place: number,
  ede: number,
  hidesPrivate: boolean,
): number {
  const { cache, composer } = engine;
  const { words } = cache;
  const { writer } = composer;
  const length = writeEntryMessage(cache, place, message);
  composer.begin(asked, flagsOf(words, place) & 0xf, Flag.ra | (flagsOf(words, place) & Flag.tc));
  if (asked.target !== undefined) addAliases(engine, asked);
  const isCut = copyRecords(engine, asked, place, length, hidesPrivate);
  if (writer.authorityCount === 0 && (isCut || writer.answerCount === 0)) composer.addSoa(staleTtlSeconds);
  words[place + Entry.nameAndState] = (words[place + Entry.nameAndState] ?? 0) | State.used;
  return composer.finish(asked, 0, ede, undefined);
}

/** What kind of answer the last one has become: without its addresses it is an alias, or nothing. */
export function rewrittenKind(
  { cache, composer }: EngineState,
  place: number,
  hidesPrivate: boolean,
): number {
  if (!hidesPrivate || leftOfType > 0) return replyKindOf(cache.words, place);
  return composer.writer.answerCount > 0 ? ReplyKind.cname : ReplyKind.noData;
}

/** Answer and authority; true when something was left out. */
function copyRecords(
  engine: EngineState,
  { view }: Asked,
  place: number,
  length: number,
  hidesPrivate: boolean,
): boolean {
  const passed = engine.nowSeconds - (engine.cache.words[place + Entry.storedAt] ?? 0);
  const isStale = isPast(engine.cache, place, engine.nowSeconds);
  let isCut = false;
  leftOfType = 0;
  if (!cursor.start(message, 0, length)) return isCut;
  while (cursor.next() && cursor.section !== Section.additional) {
    const isHidden = hidesPrivate && isPrivateRecord();
    isCut ||= isHidden;
    const ttlSeconds = isStale ? staleTtlSeconds : Math.max(cursor.ttlSeconds - passed, 0);
    if (isHidden) continue;
    copyRecord(engine, length, ttlSeconds);
    countLeft(view.type);
  }
  return isCut;
}

function countLeft(type: number): void {
  if (cursor.section === Section.answer && cursor.type === type) leftOfType++;
}

function isPrivateRecord(): boolean {
  const { type, dataAt, dataLength } = cursor;
  if (type === Type.HTTPS || type === Type.SVCB) return hasPrivateHint(message, dataAt, dataLength);
  const isAddress = (type === Type.A && dataLength === 4) || (type === Type.AAAA && dataLength === 16);
  return isAddress && isPrivateAddress(message, dataAt, dataLength);
}

function copyRecord(engine: EngineState, length: number, ttlSeconds: number): void {
  const { writer } = engine.composer;
  const { section, type, class: dnsClass, nameAt } = cursor;
  if (readNameAsWritten(message, 0, nameAt, length, ownerName) < 0) return;
  const dataLength = copyData(length);
  if (dataLength >= 0) writer.add(section, ownerName, type, dnsClass, ttlSeconds, data, 0, dataLength);
}

/** The data with its names in full, into `data`. Its length; -1 when it is malformed. */
function copyData(length: number): number {
  const { type, dataAt, dataLength } = cursor;
  const { prefixBytes, names } = namesInData(type);
  const end = dataAt + dataLength;
  let from = dataAt + prefixBytes;
  if (from > end) return -1;
  let to = copyBytes(message, dataAt, from, data, 0);
  for (let left = names; left > 0; left--) {
    const nameLength = readNameAsWritten(message, 0, from, length, targetName);
    from = skipName(message, from, end);
    if (nameLength < 0 || from < 0) return -1;
    to = copyBytes(targetName, 0, nameLength, data, to);
  }
  return copyBytes(message, from, end, data, to);
}
