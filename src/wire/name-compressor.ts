// Writes names into a message, with pointers to earlier occurrences (RFC 1035 section 4.1.4). It stores the
// offsets of known suffixes and compares with the message itself: no strings, no map. The question's suffixes
// are added only when a name differs from the question's, because most answers have no other name.

import { HEADER_BYTES } from './accept.ts';
import { putU16, u8 } from './bytes.ts';
import { LOWER, nameLengthOf } from './names.ts';

/** The name of the question in an answer: a pointer to the question. Compared by identity. */
export const questionName: Uint8Array = Uint8Array.of(0xc0, HEADER_BYTES);

/** Further suffixes are written again: this bounds the work for one name. */
const MAX_SUFFIXES = 64;
/** A pointer has 14 bits. */
const MAX_POINTER_OFFSET = 0x3fff;
const POINTER = 0xc000;

const nothing = new Uint8Array(0);

export class NameCompressor {
  /** How many suffixes are known; reset to an earlier value when a record is removed. */
  known = 0;
  readonly #offsets = new Uint16Array(MAX_SUFFIXES);
  #out: Uint8Array = nothing;
  #base = 0;
  #hasQuestion = false;

  /** Starts a new message at `base`. */
  begin(out: Uint8Array, base: number): void {
    this.#out = out;
    this.#base = base;
    this.known = 0;
    this.#hasQuestion = false;
  }

  /** Writes at `at`, never at or after `end`. Returns where the name ends, or -1 when it does not fit. */
  write(name: Uint8Array, at: number, end: number): number {
    if (name !== questionName) return this.#writeLabels(name, at, end);
    if (at + 2 > end) return -1;
    putU16(this.#out, at, POINTER | HEADER_BYTES);
    return at + 2;
  }

  #writeLabels(name: Uint8Array, at: number, end: number): number {
    if (nameLengthOf(name) === 0) return -1;
    if (!this.#hasQuestion) this.#noteQuestion();
    const out = this.#out;
    // Not those of this name: the bytes after them are left over from an earlier message.
    const whole = this.known;
    let from = 0;
    let next = at;
    for (let length = u8(name, 0); length !== 0; length = u8(name, from)) {
      const offset = this.#find(name, from, whole);
      if (offset !== 0) {
        if (next + 2 > end) return -1;
        putU16(out, next, POINTER | offset);
        return next + 2;
      }
      if (next + length + 1 > end) return -1;
      this.#note(next - this.#base);
      for (const stop = from + length + 1; from < stop; from += 1) out[next++] = u8(name, from);
    }
    if (next >= end) return -1;
    out[next] = 0;
    return next + 1;
  }

  #noteQuestion(): void {
    this.#hasQuestion = true;
    const out = this.#out;
    let at = this.#base + HEADER_BYTES;
    for (let length = u8(out, at); length !== 0 && this.known < MAX_SUFFIXES; length = u8(out, at)) {
      this.#note(at - this.#base);
      at += length + 1;
    }
  }

  #note(offset: number): void {
    if (this.known === MAX_SUFFIXES || offset > MAX_POINTER_OFFSET) return;
    this.#offsets[this.known] = offset;
    this.known += 1;
  }

  /** The offset of the same labels among the first `whole` suffixes; 0, where no name can be, means none. */
  #find(name: Uint8Array, from: number, whole: number): number {
    for (let index = 0; index < whole; index += 1) {
      const offset = this.#offsets[index] ?? 0;
      if (this.#isAt(offset, name, from)) return offset;
    }
    return 0;
  }

  /** Pointers in the message were written here and point backwards, so this ends. */
  #isAt(offset: number, name: Uint8Array, nameFrom: number): boolean {
    const out = this.#out;
    let at = this.#base + offset;
    let from = nameFrom;
    for (;;) {
      const length = u8(out, at);
      if (length > 63) {
        at = this.#base + (((length & 0x3f) << 8) | u8(out, at + 1));
        continue;
      }
      for (const stop = at + length + 1; at < stop; at += 1, from += 1) {
        if (LOWER[u8(out, at)] !== LOWER[u8(name, from)]) return false;
      }
      if (length === 0) return true;
    }
  }
}
