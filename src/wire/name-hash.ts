// The hash of a lower-cased name, seeded so that nobody outside can choose names that meet in one slot. It
// goes byte by byte, because QueryView computes it in the very pass that reads the name from the packet: the
// two steps below are what both share.

const MULTIPLIER = 0x2c1b3c6d;

/** One byte more. The rotation brings the well-mixed high bits down, where the next byte comes in. */
export function hashStep(hash: number, byte: number): number {
  const mixed = Math.imul(hash ^ byte, MULTIPLIER);
  return (mixed << 15) | (mixed >>> 17);
}

/** Spreads the last bytes over all 32 bits; an int32, so that it is kept without a heap number. */
export function hashEnd(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The hash of a name that is lower-cased already: the same that QueryView finds for it. */
export function hashName(name: Uint8Array, length: number, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < length; at += 1) hash = hashStep(hash, name[at] ?? 0);
  return hashEnd(hash);
}
