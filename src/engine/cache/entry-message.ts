// An entry as the whole message it came from, for code that reads its records: header, question in lower
// case, body. Compression pointers in the body count from the start of the message.

import { Class, putU16 } from '#wire';
import { bodyStart, nameStart, type AnswerCache } from './answer-cache.ts';
import { Entry } from './entry.ts';
import { flagsOf } from './entry-facts.ts';

const headerBytes = 12;
const responseBit = 0x8000;

/** Writes to `out` (65,535 bytes are enough for any) and returns the length. */
export function writeEntryMessage(cache: AnswerCache, place: number, out: Uint8Array): number {
  const { words, bytes } = cache;
  const nameLength = (words[place + Entry.nameAndState] ?? 0) & 0xff;
  const bodyLength = (words[place + Entry.bodyAndTtls] ?? 0) & 0xffff;
  const sections = words[place + Entry.answersAndAuthorities] ?? 0;
  const name = nameStart(place);
  const body = bodyStart(words, place);
  const type = headerBytes + nameLength;
  putU16(out, 0, 0);
  putU16(out, 2, flagsOf(words, place) | responseBit);
  putU16(out, 4, 1);
  putU16(out, 6, sections & 0xffff);
  putU16(out, 8, sections >>> 16);
  putU16(out, 10, (words[place + Entry.additionalsAndFlags] ?? 0) & 0xffff);
  for (let i = 0; i < nameLength; i++) out[headerBytes + i] = bytes[name + i] ?? 0;
  putU16(out, type, (words[place + Entry.key] ?? 0) & 0xffff);
  putU16(out, type + 2, Class.IN);
  for (let i = 0; i < bodyLength; i++) out[type + 4 + i] = bytes[body + i] ?? 0;
  return type + 4 + bodyLength;
}
