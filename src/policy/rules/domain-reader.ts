// Reads a domain from the text of a list directly into wire bytes: no string, no object. Less strict than for
// names of users, because lists block what exists, and `-a_.example` does; but the last label has to be
// plausible (not a number, no dash at its ends), so that addresses, versions and file sizes are never taken
// for domains.

import { MAX_LABEL_BYTES, MAX_NAME_BYTES, NAME_BUFFER_BYTES } from '#wire';

import { DASH, DOT, NAME_BYTES, NINE, ZERO } from './letters.ts';

export const domainFine = 0;
export const domainEmptyLabel = 1;
export const domainTooLong = 2;
export const domainNumber = 3;
export const domainDash = 4;

export type DomainStatus =
  | typeof domainFine
  | typeof domainEmptyLabel
  | typeof domainTooLong
  | typeof domainNumber
  | typeof domainDash;

/** The target of a read; reused for the next. */
export class DomainReader {
  /** Lower-cased wire bytes; `length` of them count, the root label included. */
  readonly name: Uint8Array = new Uint8Array(NAME_BUFFER_BYTES);
  length = 0;
  labels = 0;
  /** The byte of the text that ended the domain. */
  stop = 0;

  /** Reads from `from` up to the first byte that names cannot contain. A dot at the end is dropped. */
  read(bytes: Uint8Array, from: number, end: number): DomainStatus {
    const name = this.name;
    const limit = Math.min(end, from + MAX_NAME_BYTES);
    let next = from;
    let lengthAt = 0;
    let at = 1;
    let labels = 0;
    for (; next < limit; next += 1) {
      const letter = NAME_BYTES[bytes[next] ?? 0] ?? 0;
      if (letter === 0) break;
      if (letter === DOT) {
        const length = at - lengthAt - 1;
        if (length === 0 || length > MAX_LABEL_BYTES) return this.#fail(next, length);
        name[lengthAt] = length;
        lengthAt = at;
        labels += 1;
      } else {
        name[at] = letter;
      }
      at += 1;
    }
    this.stop = next;
    return this.#finish(lengthAt, at, labels);
  }

  /** The last label: closed here when the text had no dot after it. */
  #finish(lengthAt: number, at: number, labels: number): DomainStatus {
    const rest = at - lengthAt - 1;
    this.length = rest > 0 ? at + 1 : at;
    if (rest > MAX_LABEL_BYTES || this.length > MAX_NAME_BYTES) return domainTooLong;
    if (rest === 0 && labels === 0) return domainEmptyLabel;
    this.name[lengthAt] = rest;
    if (rest > 0) this.name[at] = 0;
    this.labels = rest > 0 ? labels + 1 : labels;
    return this.#checkLastLabel(rest > 0 ? lengthAt : this.#lastLabelAt());
  }

  #lastLabelAt(): number {
    let at = 0;
    for (let label = 1; label < this.labels; label += 1) at += (this.name[at] ?? 0) + 1;
    return at;
  }

  #checkLastLabel(lengthAt: number): DomainStatus {
    const name = this.name;
    const stop = lengthAt + 1 + (name[lengthAt] ?? 0);
    if (name[lengthAt + 1] === DASH || name[stop - 1] === DASH) return domainDash;
    for (let at = lengthAt + 1; at < stop; at += 1) {
      const byte = name[at] ?? 0;
      if (byte < ZERO || byte > NINE) return domainFine;
    }
    return domainNumber;
  }

  #fail(stop: number, labelLength: number): DomainStatus {
    this.stop = stop;
    return labelLength === 0 ? domainEmptyLabel : domainTooLong;
  }
}
