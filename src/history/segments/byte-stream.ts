// Writes and reads the building blocks of the history's files: numbers of variable length (seven bits in a
// byte, the lowest first), doubles, and byte strings with their length in front.

const firstBytes = 256;
/** A writer that is reused keeps no larger buffer than this. */
const maxKeptBytes = 1024 * 1024;
const sevenBits = 128;
/** Above 2^31 bit operations do not work; such numbers are rare and take a slower path. */
const maxInt = 0x7fffffff;
const doubleBytes = 8;

export class ByteWriter {
  #bytes = new Uint8Array(firstBytes);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  number(value: number): void {
    this.#reserve(doubleBytes);
    let rest = value;
    while (rest > maxInt) {
      this.#bytes[this.#length++] = (rest % sevenBits) + sevenBits;
      rest = Math.floor(rest / sevenBits);
    }
    while (rest >= sevenBits) {
      this.#bytes[this.#length++] = (rest & 0x7f) | sevenBits;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  double(value: number): void {
    this.#reserve(doubleBytes);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += doubleBytes;
  }

  /** Writes the bytes without their length. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  sizedBytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  /** Returns a copy of what was written and empties the writer. */
  finish(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > maxKeptBytes) this.#resize(firstBytes);
    return taken;
  }

  #reserve(more: number): void {
    const needed = this.#length + more + doubleBytes;
    if (needed <= this.#bytes.length) return;
    const old = this.#bytes;
    this.#resize(Math.max(needed, old.length * 2));
    this.#bytes.set(old);
  }

  #resize(size: number): void {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    let byte = this.#bytes[this.at++] ?? 0;
    while (byte >= sevenBits) {
      value += (byte - sevenBits) * scale;
      scale *= sevenBits;
      byte = this.#bytes[this.at++] ?? 0;
    }
    return value + byte * scale;
  }

  double(): number {
    const value = this.#view.getFloat64(this.at, true);
    this.at += doubleBytes;
    return value;
  }

  /** A view of the next bytes, not a copy. */
  raw(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.at, this.at + length);
    if (bytes.length !== length) throw new RangeError('the bytes end in the middle of a byte string');
    this.at += length;
    return bytes;
  }

  sizedBytes(): Uint8Array {
    return this.raw(this.number());
  }
}
