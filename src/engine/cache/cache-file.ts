// The cache as bytes that outlive the process: a header with the time, then the entries, and a checksum over
// all. Times are moved by what has passed on the wall clock meanwhile, and names are hashed anew, because
// each process has a seed of its own. A file that is not whole is not read at all: the cache then starts
// empty.

import { crc32 } from 'node:zlib';
import { hashName } from '#wire';
import { nameStart, type AnswerCache, type NewEntry } from './answer-cache.ts';
import { Entry, headerBytes, State } from './entry.ts';

const magic = 0x534c4331;
/** Magic, format, checksum, spare; then wall time and steady seconds as doubles. */
const fileHeaderBytes = 32;
/** 3: entries hold replies that have been cleaned; those of before are not taken over. */
const format = 3;

/** The newest answers are kept, as many as can be written and read without delaying the start. */
const maxSavedBytes = 32 * 1024 * 1024;

export function saveCache(cache: AnswerCache, nowSeconds: number, wallMs: number): Uint8Array {
  let leftOut = Math.max(0, cache.usedBytes - maxSavedBytes);
  const file = new Uint8Array(fileHeaderBytes + Math.min(cache.usedBytes, maxSavedBytes));
  let at = fileHeaderBytes;
  cache.forEach((place) => {
    const size = cache.words[place + Entry.sizeBytes] ?? 0;
    leftOut -= size;
    if (leftOut + size > 0) return;
    file.set(cache.bytes.subarray(place * 4, place * 4 + size), at);
    at += size;
  });
  const header = new DataView(file.buffer);
  header.setUint32(0, magic);
  header.setUint32(4, format);
  header.setFloat64(16, wallMs);
  header.setFloat64(24, nowSeconds);
  header.setUint32(8, crc32(file.subarray(16, at)));
  return file.subarray(0, at);
}

/** Tells how many answers were taken over. */
export function loadCache(
  cache: AnswerCache,
  file: Uint8Array,
  hashSeed: number,
  nowSeconds: number,
  wallMs: number,
): number {
  if (!isWhole(file)) return 0;
  const header = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const passedSeconds = Math.max(0, Math.floor((wallMs - header.getFloat64(16)) / 1000));
  const shift = nowSeconds - passedSeconds - header.getFloat64(24);
  // A copy that begins at byte 0 of its buffer: `slice` of a Buffer, as files are read into, makes none.
  const copy = new Uint8Array(file.subarray(fileHeaderBytes));
  const words = new Int32Array(copy.buffer, 0, copy.byteLength >> 2);
  let count = 0;
  for (let place = 0; place < words.length; place += (words[place + Entry.sizeBytes] ?? 0) >> 2) {
    if ((words[place + Entry.sizeBytes] ?? 0) < headerBytes) return count;
    cache.store(entryAt(words, copy, place, hashSeed, shift));
    count++;
  }
  return count;
}

function isWhole(file: Uint8Array): boolean {
  if (file.byteLength < fileHeaderBytes) return false;
  const header = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (header.getUint32(0) !== magic || header.getUint32(4) !== format) return false;
  return header.getUint32(8) === crc32(file.subarray(16));
}

function entryAt(
  words: Int32Array,
  bytes: Uint8Array,
  place: number,
  hashSeed: number,
  shift: number,
): NewEntry {
  const word = (field: number): number => words[place + field] ?? 0;
  const nameLength = word(Entry.nameAndState) & 0xff;
  const name = bytes.subarray(nameStart(place), nameStart(place) + nameLength);
  const bodyLength = word(Entry.bodyAndTtls) & 0xffff;
  const bodyStart = nameStart(place) + nameLength;
  const ttlCount = word(Entry.bodyAndTtls) >>> 16;
  const ttls = (bodyStart + bodyLength + 1) & ~1;
  return {
    name,
    nameLength,
    hash: hashName(name, nameLength, hashSeed),
    key: word(Entry.key),
    state: word(Entry.nameAndState) & ~0xff & ~(State.used | State.dead),
    body: bytes,
    bodyStart,
    bodyLength,
    ttlOffsets: new Uint16Array(bytes.buffer, ttls, ttlCount),
    ttlCount,
    storedAt: word(Entry.storedAt) + shift,
    expiresAt: word(Entry.expiresAt) + shift,
    answersAndAuthorities: word(Entry.answersAndAuthorities),
    additionalsAndFlags: word(Entry.additionalsAndFlags),
    // Numbers of upstreams mean nothing to another process.
    origin: word(Entry.origin) & ~0xffff,
    addressAndKinds: word(Entry.addressAndKinds),
  };
}
