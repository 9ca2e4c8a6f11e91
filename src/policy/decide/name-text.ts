// A name as text for regular expressions, written into reused memory: labels with dots between them, no dot
// at the end. Each byte of a label is one character: a byte that is not printable, and a dot or a backslash
// inside a label, becomes the same odd character, so that a dot inside a label does not look like one between
// labels. One character per byte keeps the text within 253 characters, for which the cost of expressions is
// computed.

import { MAX_NAME_CHARACTERS } from '#wire';
import { oddChar } from '../patterns/automaton.ts';

const dot = 0x2e;
const backslash = 0x5c;

export class NameText {
  readonly #bytes = new Uint8Array(MAX_NAME_CHARACTERS);
  /** Views of the first n bytes, created once each. */
  readonly #views: (Uint8Array | undefined)[] = Array.from(
    { length: MAX_NAME_CHARACTERS + 1 },
    () => undefined,
  );

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
      } else bytes[size++] = isPlain(byte) ? byte : oddChar;
    }
    return (this.#views[size] ??= bytes.subarray(0, size));
  }
}

function isPlain(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== dot && byte !== backslash;
}
