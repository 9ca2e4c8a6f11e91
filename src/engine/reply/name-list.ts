// A short list of names, lower-cased wire bytes, that is filled anew for each reply. Its memory is made once.
// When it is full, further names are left out: a hostile reply decides neither memory nor time.

import { isBelowOrSame, NAME_BUFFER_BYTES, namesEqual } from '#wire';

export class NameList {
  readonly #names: readonly Uint8Array[];
  readonly #lengths: Uint8Array;
  count = 0;

  constructor(most: number) {
    this.#names = Array.from({ length: most }, () => new Uint8Array(NAME_BUFFER_BYTES));
    this.#lengths = new Uint8Array(most);
  }

  clear(): void {
    this.count = 0;
  }

  /** A name that is there already is not added again. */
  add(name: Uint8Array, length: number): void {
    const place = this.#names[this.count];
    if (place === undefined || this.has(name, length)) return;
    for (let at = 0; at < length; at += 1) place[at] = name[at] ?? 0;
    this.#lengths[this.count] = length;
    this.count += 1;
  }

  has(name: Uint8Array, length: number): boolean {
    for (let index = 0; index < this.count; index += 1)
      if (namesEqual(this.nameAt(index), this.lengthAt(index), name, length)) return true;
    return false;
  }

  /** Whether one of them is `zone` or below it. */
  hasBelow(zone: Uint8Array): boolean {
    for (let index = 0; index < this.count; index += 1)
      if (isBelowOrSame(this.nameAt(index), this.lengthAt(index), zone)) return true;
    return false;
  }

  /** Whether the name is one of them or below one of them. */
  encloses(name: Uint8Array, length: number): boolean {
    for (let index = 0; index < this.count; index += 1)
      if (isBelowOrSame(name, length, this.nameAt(index))) return true;
    return false;
  }

  nameAt(index: number): Uint8Array {
    return this.#names[index] ?? nothing;
  }

  lengthAt(index: number): number {
    return this.#lengths[index] ?? 0;
  }
}

const nothing = new Uint8Array(1);
