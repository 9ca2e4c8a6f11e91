// Reads, writes and copies big-endian numbers in byte arrays. The compiler inlines functions this small; a
// DataView per packet, or a `subarray` per copy, would be an object per packet.

/**
 * Up to the size of an unfragmented datagram (DNS flag day 2020) bytes are copied by a loop, because a view
 * for `set` is an object; above that size the object costs less than the loop.
 */
const LOOP_COPY_BYTES = 1232;

export function u8(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

export function u16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

export function u32(bytes: Uint8Array, at: number): number {
  return ((u16(bytes, at) << 16) | u16(bytes, at + 2)) >>> 0;
}

/** Four bytes in little-endian order, as an int32. */
export function littleU32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  return low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** The same for one to four bytes; missing ones are zeros. */
export function littleBytes(bytes: Uint8Array, at: number, count: number): number {
  let word = bytes[at] ?? 0;
  for (let index = 1; index < count; index += 1) word |= (bytes[at + index] ?? 0) << (8 * index);
  return word;
}

export function putU16(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 8;
  out[at + 1] = value;
}

export function putU32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

/** RFC 2181 section 8: a TTL with the highest bit set counts as zero. */
export function readTtl(bytes: Uint8Array, at: number): number {
  const ttlSeconds = (u16(bytes, at) << 16) | u16(bytes, at + 2);
  return ttlSeconds < 0 ? 0 : ttlSeconds;
}

/** Copies `bytes[from, to)` to `out` at `at`; the caller guarantees the room. Returns the end of the copy. */
export function copyBytes(bytes: Uint8Array, from: number, to: number, out: Uint8Array, at: number): number {
  const shift = at - from;
  if (to - from > LOOP_COPY_BYTES) {
    out.set(bytes.subarray(from, to), at);
    return to + shift;
  }
  for (let index = from; index < to; index += 1) out[index + shift] = bytes[index] ?? 0;
  return to + shift;
}
