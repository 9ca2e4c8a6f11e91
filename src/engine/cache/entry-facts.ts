// The small facts of an entry that are packed into its words, read by name.

import { Entry } from './entry.ts';

function wordOf(words: Int32Array, place: number, field: number): number {
  return words[place + field] ?? 0;
}

/** -1: none. */
export function upstreamOf(words: Int32Array, place: number): number {
  return (wordOf(words, place, Entry.origin) & 0xffff) - 1;
}

export function upstreamBlockOf(words: Int32Array, place: number): number {
  return wordOf(words, place, Entry.addressAndKinds) >>> 28;
}

export function replyKindOf(words: Int32Array, place: number): number {
  return (wordOf(words, place, Entry.addressAndKinds) >>> 24) & 0xf;
}

/** Where the first address stands in the message; 0: there is none. */
export function addressAtOf(words: Int32Array, place: number): number {
  return wordOf(words, place, Entry.addressAndKinds) & 0xffff;
}

export function addressLengthOf(words: Int32Array, place: number): number {
  return (wordOf(words, place, Entry.addressAndKinds) >>> 16) & 0xff;
}

/** The Extended DNS Error that the upstream sent along; -1: none. */
export function extendedErrorOf(words: Int32Array, place: number): number {
  return (wordOf(words, place, Entry.origin) >>> 16) - 1;
}

/** The header's flags as the upstream set them, with the rcode. */
export function flagsOf(words: Int32Array, place: number): number {
  return wordOf(words, place, Entry.additionalsAndFlags) >>> 16;
}

export function stateOf(words: Int32Array, place: number): number {
  return wordOf(words, place, Entry.nameAndState);
}
