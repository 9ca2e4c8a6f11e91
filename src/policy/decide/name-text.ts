// A name as text for regular expressions, written into memory that stays: labels with dots between them, no
// dot at the end. Bytes that are no letters, digits, hyphens or underscores are written as `\ddd`
// (RFC 4343 section 2.1), so that a dot inside a label is not taken for one between labels.

/** 255 bytes, each of which may become four. */
const mostTextBytes = 1024;
const dot = 0x2e;
const backslash = 0x5c;
const zero = 0x30;

export class NameText {
  readonly #bytes = new Uint8Array(mostTextBytes);
  /** Views of the first n bytes, made once each. */
  readonly #views: (Uint8Array | undefined)[] = Array.from({ length: mostTextBytes + 1 }, () => undefined);

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
      } else if (isPlain(byte)) bytes[size++] = byte;
      else size = this.#escape(byte, size);
    }
    return (this.#views[size] ??= bytes.subarray(0, size));
  }

  #escape(byte: number, size: number): number {
    const bytes = this.#bytes;
    bytes[size] = backslash;
    bytes[size + 1] = zero + Math.trunc(byte / 100);
    bytes[size + 2] = zero + (Math.trunc(byte / 10) % 10);
    bytes[size + 3] = zero + (byte % 10);
    return size + 4;
  }
}

const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f && byte !== dot && byte !== backslash;
