// Hashes of lower-cased names. The hash of a whole name is seeded, so that an attacker cannot choose names
// that collide, and processes four bytes per step, as QueryView reads them. The mark of an ending is not a
// hash: it is computed from a few bytes, however long the ending is, and is enough to distinguish most names
// from all local ones.

const MULTIPLIER = 0x2c1b3c6d;
const MARK_MULTIPLIER = 0x01000193;

/** Adds four bytes. The rotation moves the well-mixed high bits down, where the next ones are added. */
export function hashStep(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MULTIPLIER);
  return (mixed << 15) | (mixed >>> 17);
}

/** Spreads the last bytes over all 32 bits; returns an int32, which needs no heap number. */
export function hashEnd(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The hash of a lower-cased name: the same that QueryView computes for it. */
export function hashName(name: Uint8Array, length: number, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < length; at += 4) hash = hashStep(hash, wordAt(name, at, length));
  return hashEnd(hash);
}

/** Missing bytes are zeros. */
function wordAt(name: Uint8Array, at: number, length: number): number {
  let word = 0;
  for (let index = Math.min(length - at, 4) - 1; index >= 0; index -= 1)
    word = (word << 8) | (name[at + index] ?? 0);
  return word;
}

/**
 * The mark of an ending that begins with the label at `at`: computed from that label and the mark of the rest
 * (`behind`, 0 for the root). Of a label its length, its first, middle and last byte count.
 */
export function endingMark(name: Uint8Array, at: number, behind: number): number {
  const length = name[at] ?? 0;
  const middle = name[at + ((length + 1) >> 1)] ?? 0;
  const word = length | ((name[at + 1] ?? 0) << 8) | (middle << 16) | ((name[at + length] ?? 0) << 24);
  const mixed = Math.imul(word ^ behind, MARK_MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}
