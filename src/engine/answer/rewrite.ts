// An answer from an entry that cannot go out as it was kept: local aliases stand in front of it, or private
// addresses are taken out. Record by record, into another message, so that names are written anew: a pointer
// means nothing at another place.

import {
  copyDataInFull,
  Flag,
  MAX_MESSAGE_BYTES,
  NAME_BUFFER_BYTES,
  readNameAsWritten,
  RecordCursor,
  Section,
} from '#wire';
import type { QueryContext } from './query-context.ts';
import { Entry, State } from '../cache/entry.ts';
import { flagsOf, replyKindOf } from '../cache/entry-facts.ts';
import { writeEntryMessage } from '../cache/entry-message.ts';
import { ReplyKind } from '../cache/examine.ts';
import { isPast, staleTtlSeconds } from './serve-entry.ts';
import { addAliases } from './local-answers.ts';
import { isPrivateRecord } from '../reply/private-address.ts';
import type { EngineState } from '../state.ts';

const message = new Uint8Array(MAX_MESSAGE_BYTES);
const data = new Uint8Array(MAX_MESSAGE_BYTES);
const ownerName = new Uint8Array(NAME_BUFFER_BYTES);
const cursor = new RecordCursor();
/** Records of the type that was asked for that were left of the last answer. */
let leftOfType = 0;

export function rewriteEntry(
  engine: EngineState,
  query: QueryContext,
  place: number,
  ede: number,
  hidesPrivate: boolean,
): number {
  const { cache, composer } = engine;
  const { words } = cache;
  const { writer } = composer;
  const length = writeEntryMessage(cache, place, message);
  composer.begin(query, flagsOf(words, place) & 0xf, Flag.ra | (flagsOf(words, place) & Flag.tc));
  if (query.target !== undefined) addAliases(engine, query);
  const isCut = copyRecords(engine, query, place, length, hidesPrivate);
  if (writer.authorityCount === 0 && (isCut || writer.answerCount === 0)) composer.addSoa(staleTtlSeconds);
  words[place + Entry.nameAndState] = (words[place + Entry.nameAndState] ?? 0) | State.used;
  return composer.finish(query, 0, ede, undefined);
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

/** Answer and authority; true when something was left out of them. The additional section is not needed. */
function copyRecords(
  engine: EngineState,
  { view }: QueryContext,
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
    const isHidden = hidesPrivate && isPrivateRecord(cursor);
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

function copyRecord(engine: EngineState, length: number, ttlSeconds: number): void {
  const { writer } = engine.composer;
  const { section, type, class: dnsClass, nameAt, dataAt, dataLength } = cursor;
  if (readNameAsWritten(message, 0, nameAt, length, ownerName) < 0) return;
  const size = copyDataInFull(message, 0, length, type, dataAt, dataLength, data, 0);
  if (size >= 0) writer.add(section, ownerName, type, dnsClass, ttlSeconds, data, 0, size);
}
