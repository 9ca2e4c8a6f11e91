// A packet that checks every read: a read outside it throws, even if the value does not affect the result.

export function watched(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const check = (at: number): void => {
    if (at < start || at >= end) throw new RangeError(`read at ${at}, outside of ${start} to ${end}`);
  };
  const subarray = (from: number, to: number): Uint8Array => {
    if (to > from) [from, to - 1].forEach(check);
    return bytes.subarray(from, to);
  };
  return new Proxy(bytes, {
    get(target, key) {
      if (key === 'subarray') return subarray;
      if (typeof key === 'string' && /^-?\d+$/.test(key)) check(Number(key));
      return Reflect.get(target, key, target);
    },
  });
}
