// A checksum of words against files that were cut off, half written or damaged; not against attackers, who
// could write a list instead. Two lanes of 32 bits: 14 MB take a few milliseconds, so that a start does not
// wait.

import { checksumWords, Head } from './layout.ts';

const first = 0x9e3779b1;
const second = 0x85ebca77;

/** Covers the first `count` words, except those of the checksum itself. Two words are written to `out`. */
export function checksum(words: Int32Array, count: number, out: Int32Array): void {
  let a = count | 0;
  let b = ~count;
  for (let at = 0; at < count; at++) {
    if (at === Head.checksum) at += checksumWords;
    const word = words[at] ?? 0;
    a = Math.imul(a ^ word, first);
    a ^= a >>> 15;
    b = (Math.imul(b, second) + (word ^ a)) | 0;
  }
  out[0] = a;
  out[1] = b;
}
