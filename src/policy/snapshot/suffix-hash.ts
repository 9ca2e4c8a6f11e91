// Fingerprints of a name and of all its parent domains, in one pass. Labels are processed from the right, so
// that the state after each label is the hash of one suffix: `com`, `example.com`, `www.example.com`.
//
// A fingerprint has 64 bits under a key of 128 bits that is chosen randomly for each build. Names are not
// kept, so two names with one fingerprint cannot be distinguished; that is only made improbable: a queried
// name collides with one of 10,000,000 names with a probability of 10^7 / 2^64, once in 1.8 * 10^12 different
// names. Without the key an attacker cannot search for such names.

import { keyWords } from './layout.ts';

/** 127 labels fit into 255 bytes. */
const maxLabels = 128;
const firstMultiplier = 0x2c1b3c6d;
const secondMultiplier = 0x297a2d39;
/** No label is that long, so that a name and an address never have the same bytes. */
const addressMark = 0xff;

export class SuffixHasher {
  /** Suffix 0 is the last label; the whole name is `count - 1`. */
  readonly low = new Int32Array(maxLabels);
  readonly high = new Int32Array(maxLabels);
  /** Where each label begins, from the left. */
  readonly starts = new Uint8Array(maxLabels);
  count = 0;
  readonly key: Int32Array;
  #a = 0;
  #b = 0;

  constructor(key: Int32Array) {
    this.key = Int32Array.from({ length: keyWords }, (_, at) => key[at] ?? 0);
  }

  /** `name`: lower-cased wire bytes with the root label. Returns how many suffixes there are. */
  hash(name: Uint8Array, nameLength: number): number {
    const { starts } = this;
    let labels = 0;
    for (let at = 0; at < nameLength - 1 && labels < maxLabels; at += (name[at] ?? 0) + 1)
      starts[labels++] = at;
    this.#begin();
    let end = nameLength - 1;
    for (let label = labels - 1; label >= 0; label--) {
      const from = starts[label] ?? 0;
      this.#take(name, from, end);
      this.#end(labels - 1 - label);
      end = from;
    }
    this.count = labels;
    return labels;
  }

  /** The fingerprint of the first bits of an address becomes suffix 0. */
  hashAddress(bytes: Uint8Array, at: number, length: number, prefixBits: number): void {
    this.#begin();
    this.#step(addressMark);
    this.#step(length);
    this.#step(prefixBits);
    const whole = prefixBits >>> 3;
    this.#take(bytes, at, at + whole);
    const rest = prefixBits & 7;
    if (rest !== 0) this.#step((bytes[at + whole] ?? 0) & (0xff << (8 - rest)));
    this.#end(0);
    this.count = 1;
  }

  #begin(): void {
    this.#a = this.key[0] ?? 0;
    this.#b = this.key[1] ?? 0;
  }

  #step(word: number): void {
    const a = Math.imul(this.#a ^ word, firstMultiplier);
    this.#a = (a << 15) | (a >>> 17);
    const b = Math.imul(this.#b ^ this.#a, secondMultiplier);
    this.#b = (b << 13) | (b >>> 19);
  }

  /**
   * #step for four bytes at a time, with the state in local variables. The second lane depends on the first.
   * A label begins with its length, so that it is clear how many bytes of the last word count.
   */
  #take(bytes: Uint8Array, from: number, end: number): void {
    let a = this.#a;
    let b = this.#b;
    let at = from;
    for (; at + 4 <= end; at += 4) {
      a = Math.imul(a ^ fourBytes(bytes, at), firstMultiplier);
      a = (a << 15) | (a >>> 17);
      b = Math.imul(b ^ a, secondMultiplier);
      b = (b << 13) | (b >>> 19);
    }
    this.#a = a;
    this.#b = b;
    if (at < end) this.#step(lastBytes(bytes, at, end));
  }

  /** Every step is invertible, given the key: no two states become one fingerprint here. */
  #end(suffix: number): void {
    let low = this.#a ^ (this.key[2] ?? 0);
    let high = this.#b ^ (this.key[3] ?? 0);
    low ^= Math.imul(high ^ (high >>> 15), 0x2c1b3c6d);
    high ^= Math.imul(low ^ (low >>> 13), 0x297a2d39);
    low ^= Math.imul(high ^ (high >>> 16), 0x85ebca6b);
    this.low[suffix] = low;
    this.high[suffix] = high;
  }
}

function fourBytes(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}

function lastBytes(bytes: Uint8Array, at: number, end: number): number {
  return (
    (bytes[at] ?? 0) |
    (at + 1 < end ? (bytes[at + 1] ?? 0) << 8 : 0) |
    (at + 2 < end ? (bytes[at + 2] ?? 0) << 16 : 0)
  );
}
