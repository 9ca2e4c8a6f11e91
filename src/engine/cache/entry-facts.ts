// The small facts of an entry that are packed into its words, read by name.

import { Entry } from './entry.ts';

const wordOf = (words: Int32Array, place: number, field: number): number => words[place + field] ?? 0;

/** -1: none. */
export const upstreamOf = (words: Int32Array, place: number): number =>
  (wordOf(words, place, Entry.origin) & 0xffff) - 1;

export const upstreamBlockOf = (words: Int32Array, place: number): number =>
  wordOf(words, place, Entry.addressAndKinds) >>> 28;

export const replyKindOf = (words: Int32Array, place: number): number =>
  (wordOf(words, place, Entry.addressAndKinds) >>> 24) & 0xf;

/** Where the first address stands in the message; 0: there is none. */
export const addressAtOf = (words: Int32Array, place: number): number =>
  wordOf(words, place, Entry.addressAndKinds) & 0xffff;

export const addressLengthOf = (words: Int32Array, place: number): number =>
  (wordOf(words, place, Entry.addressAndKinds) >>> 16) & 0xff;

/** The Extended DNS Error that the upstream sent along; -1: none. */
export const extendedErrorOf = (words: Int32Array, place: number): number =>
  (wordOf(words, place, Entry.origin) >>> 16) - 1;

/** The header's flags as the upstream set them, with the rcode. */
export const flagsOf = (words: Int32Array, place: number): number =>
  wordOf(words, place, Entry.additionalsAndFlags) >>> 16;

export const stateOf = (words: Int32Array, place: number): number => wordOf(words, place, Entry.nameAndState);
