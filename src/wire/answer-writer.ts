// Writes answers into a buffer of the caller. One object serves every answer of a thread. Records are added
// in the order of their sections; a record that does not fit is omitted completely, and then the answer is
// marked as truncated (RFC 2181 section 9). Room for the OPT record is reserved whenever the query had one,
// because its answer must have one too (RFC 6891 section 6.1.1).

import { HEADER_BYTES } from './accept.ts';
import { copyBytes, putU16, putU32 } from './bytes.ts';
import { Class, EdnsOption, Flag, Section, Type } from './codes.ts';
import { NameCompressor } from './name-compressor.ts';
import { OPT_BYTES, writeOptHead } from './query-writer.ts';
import type { QueryView } from './query-view.ts';

const FIXED_BYTES = 10;
const MAX_STRING_BYTES = 255;
/** Option code and length, then the info code (RFC 8914 section 2). */
const EDE_BYTES = 6;

const nothing = new Uint8Array(0);

export class AnswerWriter {
  /** Where the next record begins. */
  position = 0;
  isTruncated = false;
  answerCount = 0;
  authorityCount = 0;
  additionalCount = 0;
  readonly #names = new NameCompressor();
  #out: Uint8Array = nothing;
  #at = 0;
  /** The end of the writable bytes, and the same without the room reserved for OPT. */
  #end = 0;
  #recordsEnd = 0;
  #flags = 0;
  #questionCount = 0;
  /**
   * The record being written: where it begins, where its data begins, how many suffixes were known before it.
   */
  #recordAt = 0;
  #dataAt = 0;
  #knownBefore = 0;

  /**
   * Writes the header and the question as the client wrote it. `flags`: AA, RA, AD as wanted; QR is set, RD
   * and CD come from the query. False when not even the question fits: then `finish` returns a bare header.
   */
  begin(
    out: Uint8Array,
    at: number,
    limitBytes: number,
    query: QueryView,
    flags: number,
    rcode: number,
  ): boolean {
    this.#out = out;
    this.#at = at;
    const end = at + limitBytes;
    this.#end = end < out.length ? end : out.length;
    this.#recordsEnd = query.hasEdns ? this.#end - OPT_BYTES : this.#end;
    this.#flags = Flag.qr | (query.flags & (Flag.rd | Flag.cd)) | (flags & ~0xf) | (rcode & 0xf);
    this.isTruncated = false;
    this.answerCount = 0;
    this.authorityCount = 0;
    this.additionalCount = 0;
    this.#names.begin(out, at);
    putU16(out, at, query.id);
    return this.#copyQuestion(query);
  }

  #copyQuestion(query: QueryView): boolean {
    const from = query.start + HEADER_BYTES;
    this.position = this.#at + HEADER_BYTES;
    this.#questionCount = 0;
    this.isTruncated = this.position + query.questionEnd - from > this.#recordsEnd;
    if (this.isTruncated) return false;
    this.#questionCount = 1;
    this.position = copyBytes(query.bytes, from, query.questionEnd, this.#out, this.position);
    return true;
  }

  add(
    section: number,
    name: Uint8Array,
    type: number,
    rclass: number,
    ttlSeconds: number,
    data: Uint8Array,
    dataAt: number,
    dataLength: number,
  ): boolean {
    if (!this.#open(name, type, rclass, ttlSeconds)) return this.#close(section, false);
    return this.#close(section, this.#put(data, dataAt, dataLength));
  }

  /** A record whose data is one name: CNAME, NS, PTR. */
  addName(
    section: number,
    owner: Uint8Array,
    type: number,
    rclass: number,
    ttlSeconds: number,
    target: Uint8Array,
  ): boolean {
    if (!this.#open(owner, type, rclass, ttlSeconds)) return this.#close(section, false);
    return this.#close(section, this.#putName(target));
  }

  /** The four bytes of an address at `at`, as a record of the answer section. */
  addA(owner: Uint8Array, ttlSeconds: number, bytes: Uint8Array, at = 0): boolean {
    return this.add(Section.answer, owner, Type.A, Class.IN, ttlSeconds, bytes, at, 4);
  }

  addAaaa(owner: Uint8Array, ttlSeconds: number, bytes: Uint8Array, at = 0): boolean {
    return this.add(Section.answer, owner, Type.AAAA, Class.IN, ttlSeconds, bytes, at, 16);
  }

  addSoa(
    owner: Uint8Array,
    ttlSeconds: number,
    mname: Uint8Array,
    rname: Uint8Array,
    serial: number,
    refreshSeconds: number,
    retrySeconds: number,
    expireSeconds: number,
    minimumSeconds: number,
    section: number = Section.authority,
  ): boolean {
    const isOpen = this.#open(owner, Type.SOA, Class.IN, ttlSeconds);
    if (!isOpen || !this.#putName(mname) || !this.#putName(rname)) return this.#close(section, false);
    const at = this.position;
    if (at + 20 > this.#recordsEnd) return this.#close(section, false);
    putU32(this.#out, at, serial);
    putU32(this.#out, at + 4, refreshSeconds);
    putU32(this.#out, at + 8, retrySeconds);
    putU32(this.#out, at + 12, expireSeconds);
    putU32(this.#out, at + 16, minimumSeconds);
    this.position = at + 20;
    return this.#close(section, true);
  }

  /** Each text as UTF-8, split into strings of 255 bytes if it is longer. Not for the hot path. */
  addTxt(owner: Uint8Array, rclass: number, ttlSeconds: number, strings: readonly string[]): boolean {
    const encoder = new TextEncoder();
    let isWhole = this.#open(owner, Type.TXT, rclass, ttlSeconds);
    for (const text of strings.length === 0 ? [''] : strings) {
      const bytes = encoder.encode(text);
      let from = 0;
      do {
        const length = Math.min(bytes.length - from, MAX_STRING_BYTES);
        isWhole &&= this.#put(Uint8Array.of(length), 0, 1) && this.#put(bytes, from, length);
        from += length;
      } while (from < bytes.length && isWhole);
    }
    return this.#close(Section.answer, isWhole);
  }

  /**
   * Copies records that followed the same question at the start of another message: their pointers are valid
   * here too. Must be called before anything else is added. All or nothing.
   */
  addBody(
    bytes: Uint8Array,
    start: number,
    length: number,
    answers: number,
    authorities: number,
    additionals: number,
  ): boolean {
    if (this.isTruncated || this.position + length > this.#recordsEnd) {
      this.isTruncated = true;
      return false;
    }
    this.position = copyBytes(bytes, start, start + length, this.#out, this.position);
    this.answerCount += answers;
    this.authorityCount += authorities;
    this.additionalCount += additionals;
    return true;
  }

  /**
   * Writes the OPT record, as the last one. `extendedRcode`: the rcode's bits above the lowest four.
   * `edeCode` -1: no extended error; if it does not fit, first its text (UTF-8) is omitted, then the whole
   * option.
   */
  addOpt(
    udpBytes: number,
    dnssecOk: boolean,
    extendedRcode: number,
    edeCode: number,
    edeText: Uint8Array | undefined,
  ): boolean {
    const room = this.#end - this.position - OPT_BYTES;
    if (room < 0) return false;
    let text = edeText ?? nothing;
    if (EDE_BYTES + text.length > room) text = nothing;
    const optionBytes = edeCode < 0 || EDE_BYTES > room ? 0 : EDE_BYTES + text.length;
    const out = this.#out;
    const at = writeOptHead(out, this.position, udpBytes, dnssecOk, extendedRcode, optionBytes);
    if (optionBytes > 0) {
      putU16(out, at, EdnsOption.extendedError);
      putU16(out, at + 2, optionBytes - 4);
      putU16(out, at + 4, edeCode);
      copyBytes(text, 0, text.length, out, at + EDE_BYTES);
    }
    this.position = at + optionBytes;
    this.additionalCount += 1;
    return true;
  }

  /** Marks the answer as truncated, so that the client retries over TCP. */
  truncate(): void {
    this.isTruncated = true;
  }

  /** Completes the header. Returns the answer's length. */
  finish(): number {
    const out = this.#out;
    const at = this.#at;
    putU16(out, at + 2, this.isTruncated ? this.#flags | Flag.tc : this.#flags);
    putU16(out, at + 4, this.#questionCount);
    putU16(out, at + 6, this.answerCount);
    putU16(out, at + 8, this.authorityCount);
    putU16(out, at + 10, this.additionalCount);
    return this.position - at;
  }

  /** Writes the record up to the length of its data, which `#close` fills in. */
  #open(name: Uint8Array, type: number, rclass: number, ttlSeconds: number): boolean {
    this.#recordAt = this.position;
    this.#knownBefore = this.#names.known;
    if (this.isTruncated) return false;
    const at = this.#names.write(name, this.position, this.#recordsEnd);
    if (at === -1 || at + FIXED_BYTES > this.#recordsEnd) return false;
    const out = this.#out;
    putU16(out, at, type);
    putU16(out, at + 2, rclass);
    putU32(out, at + 4, ttlSeconds);
    this.#dataAt = at + FIXED_BYTES;
    this.position = this.#dataAt;
    return true;
  }

  /** Counts the record, or removes it. Additional records may be omitted without setting TC (RFC 2181). */
  #close(section: number, isWhole: boolean): boolean {
    if (!isWhole) {
      this.position = this.#recordAt;
      this.#names.known = this.#knownBefore;
      if (section !== Section.additional) this.isTruncated = true;
      return false;
    }
    putU16(this.#out, this.#dataAt - 2, this.position - this.#dataAt);
    if (section === Section.answer) this.answerCount += 1;
    else if (section === Section.authority) this.authorityCount += 1;
    else this.additionalCount += 1;
    return true;
  }

  #put(data: Uint8Array, at: number, length: number): boolean {
    if (this.position + length > this.#recordsEnd || at + length > data.length) return false;
    this.position = copyBytes(data, at, at + length, this.#out, this.position);
    return true;
  }

  #putName(name: Uint8Array): boolean {
    const next = this.#names.write(name, this.position, this.#recordsEnd);
    if (next === -1) return false;
    this.position = next;
    return true;
  }
}
