// The names of the stored queries in wire format, numbered from 0. All are in one block of memory, because
// there may be hundreds of thousands.

import { MAX_LABEL_BYTES, MAX_NAME_BYTES, MAX_NAME_CHARACTERS, nameFromText, nameToText } from '#wire';
import { IdNumbers } from './id-numbers.ts';

const firstBytes = 1_048_576;
/** The history stores this instead of a name that is private. */
const hiddenName = 'hidden';

export class NamePool {
  readonly #numbers = new IdNumbers();
  size = 0;
  #starts = new Uint32Array(16_384);
  #bytes = new Uint8Array(firstBytes);
  #used = 0;
  /** The name that was loaded last; bytes after its end are leftovers. */
  readonly name = new Uint8Array(MAX_NAME_BYTES + 1);

  /** `id`: in the history. -1 when the name is new. */
  numberOf(id: number): number {
    return this.#numbers.get(id);
  }

  add(id: number, text: string): void {
    const number = this.size++;
    this.#numbers.set(id, number);
    this.#reserve(number);
    this.#starts[number] = this.#used;
    if (text !== '' && text !== hiddenName) this.#used += this.#write(text);
    this.#starts[number + 1] = this.#used;
  }

  /** Tries the fast path for plain names first. Returns the length. */
  #write(text: string): number {
    const length = writePlainName(text, this.#bytes, this.#used);
    if (length > 0) return length;
    const bytes = nameFromText(text.toLowerCase());
    if (bytes !== undefined) this.#bytes.set(bytes, this.#used);
    return bytes?.length ?? 0;
  }

  /** Copies it into `name`. Returns the length, which is 0 for an unknown name. */
  load(number: number): number {
    const start = this.#starts[number] ?? 0;
    const end = this.#starts[number + 1] ?? 0;
    const { name } = this;
    for (let at = start; at < end; at++) name[at - start] = this.#bytes[at] ?? 0;
    return end - start;
  }

  isKnown(number: number): boolean {
    return this.#starts[number] !== this.#starts[number + 1];
  }

  textOf(number: number): string {
    return nameToText(this.#bytes.slice(this.#starts[number], this.#starts[number + 1]));
  }

  #reserve(number: number): void {
    if (number + 1 >= this.#starts.length) {
      const longer = new Uint32Array(2 * this.#starts.length);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    if (this.#used + MAX_NAME_BYTES <= this.#bytes.length) return;
    const longer = new Uint8Array(2 * this.#bytes.length);
    longer.set(this.#bytes);
    this.#bytes = longer;
  }
}

const dot = 0x2e;

/** Writes a name of lower-case letters, digits, hyphens and underscores; returns 0 for any other. */
function writePlainName(text: string, bytes: Uint8Array, at: number): number {
  if (text.length > MAX_NAME_CHARACTERS) return 0;
  let labelAt = at;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === dot) {
      const length = at + i - labelAt;
      if (length === 0 || length > MAX_LABEL_BYTES) return 0;
      bytes[labelAt] = length;
      labelAt = at + i + 1;
    } else if (isPlain[code] === 1) bytes[at + i + 1] = code;
    else return 0;
  }
  const length = at + text.length - labelAt;
  if (length === 0 || length > MAX_LABEL_BYTES) return 0;
  bytes[labelAt] = length;
  bytes[at + text.length + 1] = 0;
  return text.length + 2;
}

const isPlain = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9_-]/u.test(String.fromCharCode(code)) ? 1 : 0,
);
