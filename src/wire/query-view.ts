// A query, parsed in place. One object serves every packet of a thread: parsing fills its fields and
// allocates nothing. The name is lower-cased and hashed in the pass that checks it. Offsets are absolute in
// `bytes`, which must not change while the view is used.

import { accept, accepted, HEADER_BYTES } from './accept.ts';
import { littleBytes, littleU32, u16, u8 } from './bytes.ts';
import { Flag, Rcode, Type } from './codes.ts';
import { endingMark, hashEnd, hashStep } from './name-hash.ts';
import { lowerWord, MAX_LABEL_BYTES, MAX_NAME_BYTES, NAME_BUFFER_BYTES, skipName } from './names.ts';

/** The size for clients without EDNS (RFC 1035 section 4.2.1), and the minimum with EDNS. */
const MIN_UDP_BYTES = 512;
/** Type, class, TTL and length of data, which follow a record's name. */
const FIXED_BYTES = 10;

const nothing = new Uint8Array(0);

export class QueryView {
  readonly name = new Uint8Array(NAME_BUFFER_BYTES);
  /** The same bytes as words; zeros follow the name in its last word. */
  readonly nameWords = new Int32Array(this.name.buffer);
  bytes: Uint8Array = nothing;
  start = 0;
  length = 0;
  id = 0;
  flags = 0;
  type = 0;
  class = 0;
  /** The end of the question. */
  questionEnd = 0;
  /** With the root label. */
  nameLength = 0;
  labelCount = 0;
  hash = 0;
  /** Marks of the name's last label, and of its last two (see endingMark). */
  lastLabelMark = 0;
  lastTwoMark = 0;
  hasEdns = false;
  udpBytes = MIN_UDP_BYTES;
  ednsVersion = 0;
  dnssecOk = false;
  readonly #hashSeed: number;

  constructor(hashSeed: number) {
    this.#hashSeed = hashSeed | 0;
  }

  get recursionDesired(): boolean {
    return (this.flags & Flag.rd) !== 0;
  }

  get checkingDisabled(): boolean {
    return (this.flags & Flag.cd) !== 0;
  }

  get authenticData(): boolean {
    return (this.flags & Flag.ad) !== 0;
  }

  /**
   * Returns 0 or the Rcode to answer with; `ignored` when there must be no answer. After BADVERS the question
   * can be answered; after FORMERR only a header error can be sent, and the fields are not valid.
   */
  read(bytes: Uint8Array, start: number, length: number): number {
    this.bytes = bytes;
    this.start = start;
    this.length = length;
    this.hasEdns = false;
    this.udpBytes = MIN_UDP_BYTES;
    this.ednsVersion = 0;
    this.dnssecOk = false;
    const end = start + length;
    const first = accept(bytes, start, length);
    if (first !== accepted) return first;
    this.id = u16(bytes, start);
    this.flags = u16(bytes, start + 2);
    const at = this.#readName(bytes, start + HEADER_BYTES, end);
    if (at === -1 || at + 4 > end) return Rcode.formErr;
    this.type = u16(bytes, at);
    this.class = u16(bytes, at + 2);
    this.questionEnd = at + 4;
    const additional = u8(bytes, start + 11);
    return additional === 0 ? 0 : this.#readAdditional(bytes, at + 4, end, additional);
  }

  /**
   * Where the name ends, or -1. Pointers are refused, because there is no earlier name. First the labels are
   * checked, then all bytes are processed in one loop: faster than a loop for each label.
   */
  #readName(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    let labels = -1;
    let length = 0;
    let last = from;
    let lastButOne = from;
    do {
      if (at >= end) return -1;
      length = u8(bytes, at);
      if (length > MAX_LABEL_BYTES) return -1;
      if (length !== 0) {
        lastButOne = last;
        last = at;
      }
      at += length + 1;
      labels += 1;
    } while (length !== 0);
    if (at - from > MAX_NAME_BYTES) return -1;
    this.labelCount = labels;
    this.nameLength = at - from;
    this.#takeName(bytes, from, at - from);
    this.lastLabelMark = endingMark(this.name, last - from, 0);
    this.lastTwoMark = labels > 1 ? endingMark(this.name, lastButOne - from, this.lastLabelMark) : 0;
    return at;
  }

  /** Lower-cases and hashes the name, four bytes at a time. */
  #takeName(bytes: Uint8Array, from: number, size: number): void {
    const { nameWords } = this;
    const last = (size - 1) >> 2;
    let hash = this.#hashSeed;
    for (let index = 0; index < last; index += 1) {
      const word = lowerWord(littleU32(bytes, from + 4 * index));
      nameWords[index] = word;
      hash = hashStep(hash, word);
    }
    const word = lowerWord(littleBytes(bytes, from + 4 * last, size - 4 * last));
    nameWords[last] = word;
    this.hash = hashEnd(hashStep(hash, word));
  }

  #readAdditional(bytes: Uint8Array, from: number, end: number, count: number): number {
    let at = from;
    for (let left = count; left > 0; left -= 1) {
      const fixedAt = skipName(bytes, at, end);
      if (fixedAt === -1 || fixedAt + FIXED_BYTES > end) return Rcode.formErr;
      const next = fixedAt + FIXED_BYTES + u16(bytes, fixedAt + 8);
      if (next > end) return Rcode.formErr;
      if (u16(bytes, fixedAt) === Type.OPT) {
        // RFC 6891 section 6.1.1: at most one OPT, and its name is the root.
        const isPlaced = !this.hasEdns && u8(bytes, at) === 0;
        if (!isPlaced || !this.#readOpt(bytes, fixedAt, next)) return Rcode.formErr;
      }
      at = next;
    }
    return this.ednsVersion > 0 ? Rcode.badVers : 0;
  }

  #readOpt(bytes: Uint8Array, fixedAt: number, end: number): boolean {
    const size = u16(bytes, fixedAt + 2);
    this.hasEdns = true;
    this.udpBytes = size < MIN_UDP_BYTES ? MIN_UDP_BYTES : size;
    this.ednsVersion = u8(bytes, fixedAt + 5);
    this.dnssecOk = (u8(bytes, fixedAt + 6) & 0x80) !== 0;
    return areOptionsWhole(bytes, fixedAt + FIXED_BYTES, end);
  }
}

/** Unknown options are ignored; options that overrun the record make it malformed. */
function areOptionsWhole(bytes: Uint8Array, from: number, end: number): boolean {
  let at = from;
  while (at + 4 <= end) at += 4 + u16(bytes, at + 2);
  return at === end;
}
