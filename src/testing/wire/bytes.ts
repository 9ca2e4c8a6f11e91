// For tests: builds DNS messages byte by byte, also malformed ones that no library would write, and places
// them inside a larger buffer, so that a wrong offset is noticed.

import { nameFromText } from '../../wire/name-text.ts';

/** Numbers are bytes; texts are names, as wire bytes. */
export type Part = number | string | Uint8Array | readonly number[];

export function bytesOf(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...toBytes(part)])));
}

function toBytes(part: string | Uint8Array | readonly number[]): Iterable<number> {
  return typeof part === 'string' ? wireName(part) : part;
}

export function wireName(text: string): Uint8Array {
  const name = nameFromText(text);
  if (name === undefined) throw new Error(`'${text}' is not a name`);
  return name;
}

export function word(value: number): number[] {
  return [value >>> 8, value & 0xff];
}

export function header(id: number, flags: number, ...counts: readonly number[]): number[] {
  return [id, flags, ...[0, 1, 2, 3].map((index) => counts[index] ?? 0)].flatMap(word);
}

/** `owner` is a name, or the bytes that replace it. */
export function record(owner: Part, type: number, ttlSeconds: number, data: Uint8Array | number[]): number[] {
  const fixed = [word(type), word(1), word(Math.floor(ttlSeconds / 65_536)), word(ttlSeconds % 65_536)];
  return [...bytesOf(owner), ...fixed.flat(), ...word(data.length), ...data];
}

export function opt(udpBytes: number, ttl: readonly number[] = [0, 0, 0, 0], data: number[] = []): number[] {
  return [0, ...word(41), ...word(udpBytes), ...ttl, ...word(data.length), ...data];
}

/** The offset at which `placed` puts a message. */
export const PLACE = 7;

/** The message inside a larger buffer. */
export function placed(message: Uint8Array, filler = 0xc1): Uint8Array {
  const all = new Uint8Array(PLACE + message.length + 9).fill(filler);
  all.set(message, PLACE);
  return all;
}
