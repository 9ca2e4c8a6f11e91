// Whether a reply answers its question at all: of its answers one has the name of the question, or is a DNAME
// above it (RFC 6672). A reply with answers to something else only is wrong as a whole, and another upstream
// may do better. In nearly every reply the first answer decides, by its pointer to the question.

import {
  HEADER_BYTES,
  isBelowOrSame,
  NAME_BUFFER_BYTES,
  readName,
  RecordCursor,
  Section,
  Type,
  u16,
} from '#wire';

/** An owner that is a pointer to the name of the question. */
export const POINTER_TO_QUESTION = 0xc00c;

export class AnswersQuestion {
  readonly #cursor = new RecordCursor();
  readonly #asked = new Uint8Array(NAME_BUFFER_BYTES);
  readonly #owner = new Uint8Array(NAME_BUFFER_BYTES);

  /** The message is sound (see MessageCheck). "Nothing here", without answers, is an answer. */
  isMet(message: Uint8Array, start: number, length: number): boolean {
    const cursor = this.#cursor;
    if (!cursor.start(message, start, length) || u16(message, start + 6) === 0) return true;
    const askedLength = readName(message, start, start + HEADER_BYTES, start + length, this.#asked);
    while (cursor.next() && cursor.section === Section.answer) {
      if (u16(message, cursor.nameAt) === POINTER_TO_QUESTION) return true;
      const ownerLength = readName(message, start, cursor.nameAt, start + length, this.#owner);
      const isAbove = isBelowOrSame(this.#asked, askedLength, this.#owner);
      if (isAbove && (ownerLength === askedLength || cursor.type === Type.DNAME)) return true;
    }
    return false;
  }
}
