// A copy of some bytes with one byte changed. It always differs; overwriting a byte with a fixed value
// changes nothing if the byte has that value already.

export function flipped(bytes: Uint8Array, at: number, mask = 1): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}
