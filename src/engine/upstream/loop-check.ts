// Finds an upstream that sends our questions back to us: each is asked for a name that no other server can
// know, `<16 hex digits>.loop.sluice.internal`. The digits come from a key of the process and the upstream's
// text, so that every thread that gets the question recognises it, and answers with the digits.

import { createHmac } from 'node:crypto';
import { isBelowOrSame, nameFromText, RecordCursor, Section, Type } from '#wire';

const suffixText = 'loop.sluice.internal';
const suffix = nameFromText(suffixText) ?? new Uint8Array(1);
const tokenLength = 16;
const probeNameLength = 1 + tokenLength + suffix.length;

export function loopToken(key: string, upstream: string): string {
  return createHmac('sha256', key).update(upstream).digest('hex').slice(0, tokenLength);
}

export function loopProbeName(token: string): Uint8Array {
  return nameFromText(`${token}.${suffixText}`) ?? new Uint8Array(1);
}

/** Whether a lower-cased wire name is such a probe, ours or another server's. */
export function isLoopProbe(name: Uint8Array, nameLength: number): boolean {
  return nameLength === probeNameLength && name[0] === tokenLength && isBelowOrSame(name, nameLength, suffix);
}

export function tokenOf(name: Uint8Array): string {
  return String.fromCharCode(...name.subarray(1, 1 + tokenLength));
}

/** Whether the reply to a probe holds the token: only we could have answered so. */
export function repliesToken(bytes: Uint8Array, start: number, length: number, token: string): boolean {
  const cursor = new RecordCursor();
  if (!cursor.start(bytes, start, length)) return false;
  while (cursor.next() && cursor.section === Section.answer) {
    if (cursor.type !== Type.TXT || cursor.dataLength !== tokenLength + 1) continue;
    const text = String.fromCharCode(...bytes.subarray(cursor.dataAt + 1, cursor.dataAt + 1 + tokenLength));
    if (text === token) return true;
  }
  return false;
}
