// Questions go out in mixed case, and an upstream that does not compress names sends that case back with
// every record. Clients should not see it, and nothing else means anything by the case of an owner's name
// (RFC 4343), so owners are kept in lower case.

import { lowerCase, MAX_LABEL_BYTES, type RecordCursor } from '#wire';

/** Changes the message in place; pointers are left alone, for where they lead is changed too. */
export function lowerOwners(message: Uint8Array, length: number, cursor: RecordCursor): void {
  if (!cursor.start(message, 0, length)) return;
  while (cursor.next()) lowerLabels(message, cursor.nameAt, length);
}

function lowerLabels(message: Uint8Array, from: number, length: number): void {
  let at = from;
  while (at < length) {
    const size = message[at] ?? 0;
    if (size === 0 || size > MAX_LABEL_BYTES) return;
    const next = at + 1 + size;
    for (let letter = at + 1; letter < next; letter++) message[letter] = lowerCase(message[letter] ?? 0);
    at = next;
  }
}
