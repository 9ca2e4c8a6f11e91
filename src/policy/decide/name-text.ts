// A name as text for regular expressions, written into memory that stays: labels with dots between them, no
// dot at the end. Each byte of a label is one sign: a byte that does not print, and a dot or a backslash
// inside a label, is the same odd sign, so that a dot inside a label is not taken for one between labels. One
// sign per byte keeps the text within 253 signs, for which the cost of expressions is computed.

import { longestText, oddSign } from '../patterns/automaton.ts';

const dot = 0x2e;
const backslash = 0x5c;

export class NameText {
  readonly #bytes = new Uint8Array(longestText);
  /** Views of the first n bytes, made once each. */
  readonly #views: (Uint8Array | undefined)[] = Array.from({ length: longestText + 1 }, () => undefined);

  /** Valid until the next call. */
  of(name: Uint8Array, nameLength: number): Uint8Array {
    const bytes = this.#bytes;
    let size = 0;
    let next = 0;
    for (let at = 0; at < nameLength - 1; at++) {
      const byte = name[at] ?? 0;
      if (at === next) {
        next = at + byte + 1;
        if (at > 0) bytes[size++] = dot;
      } else bytes[size++] = isPlain(byte) ? byte : oddSign;
    }
    return (this.#views[size] ??= bytes.subarray(0, size));
  }
}

function isPlain(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== dot && byte !== backslash;
}
