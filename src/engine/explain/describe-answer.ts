// Describes an answer, which is bytes, by records that people can read: an answer of our own, written as for
// a client and then read again, or one of an upstream.

import { messageFlags, RecordCursor, recordText, Section } from '#wire';
import { isPrivateRecord } from '../reply/private-address.ts';
import type { ExplainedAnswer } from './explained.ts';

/** More records are no explanation. */
export const maxRecords = 50;

export interface DescribeOptions {
  /** Records with private addresses are left out, as they are for clients. */
  readonly hidesPrivate: boolean;
  /** The TTL in the client's answer, by what the record says. */
  readonly ttlOf: (ttlSeconds: number) => number;
}

export const asItIs: DescribeOptions = { hidesPrivate: false, ttlOf: (ttlSeconds) => ttlSeconds };

export function describeAnswer(
  message: Uint8Array,
  length: number,
  options: DescribeOptions,
): ExplainedAnswer {
  const cursor = new RecordCursor();
  const records: string[] = [];
  let [count, hidden] = [0, 0];
  cursor.start(message, 0, length);
  while (cursor.next() && cursor.section === Section.answer) {
    if (options.hidesPrivate && isPrivateRecord(cursor)) {
      hidden++;
      continue;
    }
    count++;
    cursor.ttlSeconds = options.ttlOf(cursor.ttlSeconds);
    if (records.length < maxRecords) records.push(recordText(cursor));
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
const notSent: ExplainedAnswer = {
  isSent: false,
  rcode: 0,
  records: [],
  recordCount: 0,
  isBlockedThere: false,
  hidesPrivate: false,
};

/** One that we wrote ourselves; length 0: nothing is sent. */
export function describeOwnAnswer(message: Uint8Array, length: number): ExplainedAnswer {
  return length === 0 ? notSent : describeAnswer(message, length, asItIs);
}
