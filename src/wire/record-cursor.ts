// Walks the records of a message, one after the other, through all three sections. One object can walk any
// number of messages; its fields describe the current record. It checks lengths but does not read the data of
// records: names in data are the caller's responsibility.

import { HEADER_BYTES } from './accept.ts';
import { readTtl, u16 } from './bytes.ts';
import { skipName } from './names.ts';

/** Type, class, TTL and length of data, which follow a record's name. */
const FIXED_BYTES = 10;
const ADDITIONAL = 2;

const nothing = new Uint8Array(0);

export class RecordCursor {
  bytes: Uint8Array = nothing;
  messageStart = 0;
  messageEnd = 0;
  /** The end of the last question: where the records begin. */
  recordsAt = 0;
  /** 0 answer, 1 authority, 2 additional. */
  section = 0;
  nameAt = 0;
  type = 0;
  class = 0;
  ttlAt = 0;
  ttlSeconds = 0;
  dataAt = 0;
  dataLength = 0;
  malformed = false;
  #nextAt = 0;
  #leftInSection = 0;

  /** False when the header or the questions are malformed. */
  start(bytes: Uint8Array, start: number, length: number): boolean {
    this.bytes = bytes;
    this.messageStart = start;
    this.messageEnd = start + length;
    this.section = 0;
    this.#leftInSection = 0;
    this.malformed = length < HEADER_BYTES;
    if (this.malformed) return this.#stop();
    let at = start + HEADER_BYTES;
    for (let left = u16(bytes, start + 4); left > 0; left -= 1) {
      at = skipName(bytes, at, this.messageEnd);
      if (at === -1 || at + 4 > this.messageEnd) return this.#stop();
      at += 4;
    }
    this.recordsAt = at;
    this.#nextAt = at;
    this.#leftInSection = u16(bytes, start + 6);
    return true;
  }

  /** False at the end, and when the next record is malformed: see `malformed`. */
  next(): boolean {
    while (this.#leftInSection === 0) {
      if (this.malformed || this.section === ADDITIONAL) return false;
      this.section += 1;
      this.#leftInSection = u16(this.bytes, this.messageStart + 6 + 2 * this.section);
    }
    this.#leftInSection -= 1;
    const bytes = this.bytes;
    const at = skipName(bytes, this.#nextAt, this.messageEnd);
    if (at === -1 || at + FIXED_BYTES > this.messageEnd) return this.#stop();
    const length = u16(bytes, at + 8);
    if (at + FIXED_BYTES + length > this.messageEnd) return this.#stop();
    this.nameAt = this.#nextAt;
    this.type = u16(bytes, at);
    this.class = u16(bytes, at + 2);
    this.ttlAt = at + 4;
    this.ttlSeconds = readTtl(bytes, at + 4);
    this.dataAt = at + FIXED_BYTES;
    this.dataLength = length;
    this.#nextAt = at + FIXED_BYTES + length;
    return true;
  }

  /** Where the current record ends. */
  get recordEnd(): number {
    return this.#nextAt;
  }

  #stop(): false {
    this.malformed = true;
    this.#leftInSection = 0;
    return false;
  }
}
