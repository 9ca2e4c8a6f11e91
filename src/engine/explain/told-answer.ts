// An answer as bytes, told as records that people can read. Used for answers of our own, which are written
// as for a client and then read again, and for those of upstreams.

import { messageFlags, RecordCursor, recordText, Section } from '#wire';
import { isPrivateRecord } from '../reply/private-address.ts';
import type { AnswerLook } from './explained.ts';

/** More records are no explanation. */
export const recordsMax = 50;

export interface Telling {
  /** Records with private addresses are left out, as they are for clients. */
  readonly hidesPrivate: boolean;
  /** What the client is told as the time that is left, by what the record says. */
  readonly ttlOf: (ttlSeconds: number) => number;
}

export const asItIs: Telling = { hidesPrivate: false, ttlOf: (ttlSeconds) => ttlSeconds };

export function toldAnswer(message: Uint8Array, length: number, telling: Telling): AnswerLook {
  const cursor = new RecordCursor();
  const records: string[] = [];
  let [count, hidden] = [0, 0];
  cursor.start(message, 0, length);
  while (cursor.next() && cursor.section === Section.answer) {
    if (telling.hidesPrivate && isPrivateRecord(cursor)) {
      hidden++;
      continue;
    }
    count++;
    cursor.ttlSeconds = telling.ttlOf(cursor.ttlSeconds);
    if (records.length < recordsMax) records.push(recordText(cursor));
  }
  const rcode = messageFlags(message, 0) & 0xf;
  return {
    isSent: true,
    rcode,
    records,
    recordCount: count,
    isBlockedThere: false,
    hidesPrivate: hidden > 0,
  };
}

/** What is given by a rule that wants silence. */
const notSent: AnswerLook = {
  isSent: false,
  rcode: 0,
  records: [],
  recordCount: 0,
  isBlockedThere: false,
  hidesPrivate: false,
};

/** One that we wrote ourselves; length 0: nothing is sent. */
export const toldOwnAnswer = (message: Uint8Array, length: number): AnswerLook =>
  length === 0 ? notSent : toldAnswer(message, length, asItIs);
