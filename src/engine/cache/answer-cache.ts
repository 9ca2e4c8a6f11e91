// The cache: upstream data as bytes, bounded in bytes, found by name, type and what else changes an answer
// (DO, CD). It knows nothing of policies, so it serves all groups and survives every change of them. An entry
// is named by its place, which holds until the next `store`; what stands there is read by the constants of
// entry.ts.

import { Entry, headerBytes, State } from './entry.ts';
import { EntryRing } from './entry-ring.ts';
import { maxRun, NameIndex } from './name-index.ts';

/** Names are short and answers too: about what an entry takes. */
const usualEntryBytes = 192;
const noPlace = -1;

/** All that makes up a new entry; the arrays are copied. */
export interface NewEntry {
  readonly name: Uint8Array;
  readonly nameLength: number;
  readonly hash: number;
  readonly key: number;
  readonly state: number;
  readonly body: Uint8Array;
  readonly bodyStart: number;
  readonly bodyLength: number;
  readonly ttlOffsets: Uint16Array;
  readonly ttlCount: number;
  readonly storedAt: number;
  readonly expiresAt: number;
  readonly answersAndAuthorities: number;
  readonly additionalsAndFlags: number;
  readonly origin: number;
  readonly addressAndKinds: number;
}

export class AnswerCache {
  readonly #ring: EntryRing;
  readonly #index: NameIndex;
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  /** Since it was made. */
  inserted = 0;
  evicted = 0;

  constructor(sizeBytes: number) {
    this.#ring = new EntryRing(sizeBytes, {
      onMove: (from, to) => this.#index.move(this.#word(to, Entry.hash), from, to),
      onEvict: (place) => {
        this.evicted++;
        this.#index.remove(this.#word(place, Entry.hash), place);
      },
    });
    this.#index = new NameIndex(sizeBytes / usualEntryBytes);
    this.words = this.#ring.words;
    this.bytes = this.#ring.bytes;
  }

  get count(): number {
    return this.#index.count;
  }

  /** The most entries that it can have, if they are small. */
  get room(): number {
    return this.#index.room;
  }

  /** Of the index, for code that goes through all entries. */
  get slots(): number {
    return this.#index.slots;
  }

  /** The place of the entry in a slot, -1 when there is none. */
  placeAt(slot: number): number {
    return this.#index.placeAt(slot);
  }

  get usedBytes(): number {
    return this.#ring.usedBytes;
  }

  get capacityBytes(): number {
    return this.#ring.capacityBytes;
  }

  /** The place of the entry for this name and key, -1 when there is none; its age is not looked at. */
  find(name: Uint8Array, nameLength: number, hash: number, key: number): number {
    let slot = this.#index.home(hash);
    for (let step = 0; step < maxRun; step++) {
      const place = this.#index.placeAt(slot);
      if (place < 0) return noPlace;
      if (this.#index.hashAt(slot) === hash && this.#isEntry(place, name, nameLength, key)) return place;
      slot = this.#index.next(slot);
    }
    return noPlace;
  }

  /**
   * Takes the place of an entry with the same name and key. One that is too large for this cache stands there
   * until the next such, for the queries that wait for it, and is not found by others.
   */
  store(entry: NewEntry): number {
    const sizeBytes = (headerBytes + entry.nameLength + entry.bodyLength + 1 + entry.ttlCount * 2 + 7) & ~7;
    const old = this.find(entry.name, entry.nameLength, entry.hash, entry.key);
    if (old >= 0) this.#drop(old);
    const place = this.#ring.fits(sizeBytes) ? this.#allocate(sizeBytes) : this.#ring.guestPlace;
    this.#write(place, entry);
    this.inserted++;
    if (place !== this.#ring.guestPlace && !this.#index.add(entry.hash, place)) this.#mark(place, State.dead);
    return place;
  }

  /** Forgets every type of one name; tells how many there were. */
  flushName(name: Uint8Array, nameLength: number, hash: number): number {
    const found: number[] = [];
    let slot = this.#index.home(hash);
    for (let step = 0; step < maxRun; step++) {
      const place = this.#index.placeAt(slot);
      if (place < 0) break;
      if (this.#index.hashAt(slot) === hash && this.#isName(place, name, nameLength)) found.push(place);
      slot = this.#index.next(slot);
    }
    for (const place of found) this.#drop(place);
    return found.length;
  }

  clear(): void {
    this.#ring.clear();
    this.#index.clear();
  }

  /** Calls `visit` with the place of every entry, the oldest first. */
  forEach(visit: (place: number) => void): void {
    this.#ring.forEach(visit);
  }

  #allocate(sizeBytes: number): number {
    while (this.#index.isFull) this.#ring.evictOldest();
    return this.#ring.allocate(sizeBytes);
  }

  #isEntry(place: number, name: Uint8Array, nameLength: number, key: number): boolean {
    return this.#word(place, Entry.key) === key && this.#isName(place, name, nameLength);
  }

  #isName(place: number, name: Uint8Array, nameLength: number): boolean {
    if ((this.#word(place, Entry.nameAndState) & 0xff) !== nameLength) return false;
    const at = nameStart(place);
    for (let i = 0; i < nameLength; i++) if (this.bytes[at + i] !== name[i]) return false;
    return true;
  }

  #word(place: number, field: number): number {
    return this.words[place + field] ?? 0;
  }

  #mark(place: number, state: number): void {
    this.words[place + Entry.nameAndState] = this.#word(place, Entry.nameAndState) | state;
  }

  #drop(place: number): void {
    this.#index.remove(this.#word(place, Entry.hash), place);
    this.#mark(place, State.dead);
  }

  #write(place: number, entry: NewEntry): void {
    const { words, bytes } = this;
    words[place + Entry.hash] = entry.hash;
    words[place + Entry.storedAt] = entry.storedAt;
    words[place + Entry.expiresAt] = entry.expiresAt;
    words[place + Entry.key] = entry.key;
    words[place + Entry.nameAndState] = entry.nameLength | entry.state;
    words[place + Entry.bodyAndTtls] = entry.bodyLength | (entry.ttlCount << 16);
    words[place + Entry.answersAndAuthorities] = entry.answersAndAuthorities;
    words[place + Entry.additionalsAndFlags] = entry.additionalsAndFlags;
    words[place + Entry.hits] = 0;
    words[place + Entry.inspectedIn] = -1;
    words[place + Entry.inspectedGroups] = 0;
    words[place + Entry.origin] = entry.origin;
    words[place + Entry.addressAndKinds] = entry.addressAndKinds;
    const name = nameStart(place);
    for (let i = 0; i < entry.nameLength; i++) bytes[name + i] = entry.name[i] ?? 0;
    const body = name + entry.nameLength;
    for (let i = 0; i < entry.bodyLength; i++) bytes[body + i] = entry.body[entry.bodyStart + i] ?? 0;
    const ttls = ttlStart(body + entry.bodyLength);
    for (let i = 0; i < entry.ttlCount; i++) {
      const offset = entry.ttlOffsets[i] ?? 0;
      bytes[ttls + 2 * i] = offset & 0xff;
      bytes[ttls + 2 * i + 1] = offset >> 8;
    }
  }
}

/** Where the name of an entry begins in `bytes`. */
export function nameStart(place: number): number {
  return place * 4 + headerBytes;
}

function ttlStart(afterBody: number): number {
  return (afterBody + 1) & ~1;
}

/** Where the list of TTL offsets begins in `bytes`. */
export function ttlListStart(words: Int32Array, place: number): number {
  return ttlStart(bodyStart(words, place) + ((words[place + Entry.bodyAndTtls] ?? 0) & 0xffff));
}

export function bodyStart(words: Int32Array, place: number): number {
  return nameStart(place) + ((words[place + Entry.nameAndState] ?? 0) & 0xff);
}
