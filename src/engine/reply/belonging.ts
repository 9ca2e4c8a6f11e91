// Which records of a reply belong to its question (RFC 2181 section 5.4.1, RFC 5452 section 6). An upstream,
// or an attacker that forges its replies, may send more than it was asked for, and clients with caches of
// their own might believe it.
//
//   answer      owners on the chain that CNAME and DNAME records make from the question, in any order
//   authority   SOA, NS and DS of zones above a name of the chain; NSEC, NSEC3 and RRSIG of these zones
//   additional  a name of the chain, or what a kept record names as its target (a mail server, a name server)
//               if it is below a name of the chain. A reply may claim any zone above its question, up to the
//               root, so these zones do not widen what additional records are about.
//
// The message is known to be sound (see MessageCheck). Lists are short and records few: nothing here takes
// long for the worst message of 65,535 bytes.

import {
  Class,
  hashName,
  isBelowOrSame,
  MAX_MESSAGE_BYTES,
  NAME_BUFFER_BYTES,
  readName,
  RecordCursor,
  Section,
  Type,
  u16,
} from '#wire';
import { NameList } from './name-list.ts';
import { substitute } from './substitute.ts';

/** An owner that is a pointer to the name of the question. */
const POINTER_TO_QUESTION = 0xc00c;
/** A record takes eleven bytes at least: more do not fit in a message. */
const maxRecords = Math.ceil(MAX_MESSAGE_BYTES / 11);
/** Aliases that are followed; resolvers give up after about a dozen. */
const maxChainLength = 32;
/** Records of authority and of additional that are looked at; further ones are foreign. */
const maxSectionRecords = 256;
const maxZones = 16;
const maxTargets = 32;
/** DNAME records and their signatures that are looked at. */
const maxRedirects = 32;
const underscore = 0x5f;
/** Stands for the type of OPT, and of all that is not in class IN. */
const ofNoName = -1;
const signerAt = 18;

export class Belonging {
  /** A 1 for each record that belongs to the question, by its number in the message. */
  readonly keep = new Uint8Array(maxRecords);
  /** How many records do not belong to it; OPT belongs to nothing, and is not counted. */
  foreign = 0;
  /** There are answers, and none of them belongs to the question: the reply is one to something else. */
  isAllForeign = false;
  /** The names that the answer is about: the question's, and what its aliases lead to. */
  readonly #chain = new NameList(maxChainLength);
  /** What the name of the chain that is looked at is an alias of. */
  readonly #aliases = new NameList(maxChainLength);
  readonly #zones = new NameList(maxZones);
  /** The names of the chain without the labels that name a service. */
  readonly #hosts = new NameList(maxChainLength);
  /** What kept records of answer and authority lead to. */
  readonly #targets = new NameList(maxTargets);
  readonly #redirects = new Uint16Array(maxRedirects);
  #redirectCount = 0;
  #questionHash = 0;
  /** Of each record, by its number: where name and data stand, and what it is. */
  readonly #nameAt = new Uint16Array(maxRecords);
  readonly #dataAt = new Uint16Array(maxRecords);
  readonly #types = new Uint16Array(maxRecords);
  readonly #classes = new Uint16Array(maxRecords);
  readonly #hashes = new Int32Array(maxRecords);
  /** The number of the first record of authority, of additional, and behind the last. */
  #answersEnd = 0;
  #authoritiesEnd = 0;
  #end = 0;
  readonly #cursor = new RecordCursor();
  readonly #name = new Uint8Array(NAME_BUFFER_BYTES);
  readonly #other = new Uint8Array(NAME_BUFFER_BYTES);
  #message: Uint8Array = new Uint8Array(0);
  #start = 0;
  #messageEnd = 0;

  /** `name`: that of the question, in lower case. */
  sort(message: Uint8Array, start: number, length: number, name: Uint8Array): void {
    this.#message = message;
    this.#start = start;
    this.#messageEnd = start + length;
    this.#questionHash = hashName(name, name.length, 0);
    this.#readRecords(length);
    this.#zones.clear();
    this.#targets.clear();
    this.#chain.clear();
    this.#chain.add(name, name.length);
    for (let link = 0; link < this.#chain.count; link += 1) this.#follow(link);
    this.isAllForeign = this.#answersEnd > 0 && !this.#keepsAnswer();
    if (this.#end > this.#answersEnd) {
      this.#keepAuthority();
      this.#keepAdditional();
    }
    this.#message = nothing;
  }

  #readRecords(length: number): void {
    const cursor = this.#cursor;
    let index = 0;
    this.#redirectCount = 0;
    this.#answersEnd = 0;
    this.#authoritiesEnd = 0;
    this.foreign = 0;
    cursor.start(this.#message, this.#start, length);
    for (; cursor.next(); index += 1) {
      this.keep[index] = 0;
      this.#nameAt[index] = cursor.nameAt - this.#start;
      this.#dataAt[index] = cursor.dataAt - this.#start;
      this.#types[index] = cursor.type;
      this.#classes[index] = cursor.class;
      if (cursor.section === Section.answer) this.#readAnswer(index);
      if (cursor.section < Section.additional) this.#authoritiesEnd = index + 1;
      if (cursor.type !== Type.OPT) this.foreign += 1;
    }
    this.#end = index;
  }

  #readAnswer(index: number): void {
    this.#answersEnd = index + 1;
    this.#hashes[index] = this.#isPointer(index)
      ? this.#questionHash
      : hashName(this.#name, this.#readOwner(index), 0);
    if (!this.#isRedirect(index) || this.#redirectCount === maxRedirects) return;
    this.#redirects[this.#redirectCount] = index;
    this.#redirectCount += 1;
  }

  /** A DNAME record, or its signature. */
  #isRedirect(index: number): boolean {
    const type = this.#typeOf(index);
    return type === Type.DNAME || (type === Type.RRSIG && this.#coveredBy(index) === Type.DNAME);
  }

  /** The type that a signature is for. */
  #coveredBy(index: number): number {
    return u16(this.#message, this.#start + (this.#dataAt[index] ?? 0));
  }

  /** Keeps the answers of one name of the chain, and adds the names that they lead to. */
  #follow(link: number): void {
    const name = this.#chain.nameAt(link);
    const length = this.#chain.lengthAt(link);
    const hash = link === 0 ? this.#questionHash : hashName(name, length, 0);
    let hasRecords = false;
    this.#aliases.clear();
    for (let index = 0; index < this.#answersEnd; index += 1) {
      if (this.#hashes[index] !== hash || !this.#isOwner(index, name, length)) continue;
      this.#acceptAnswer(index);
      hasRecords = true;
    }
    for (let at = 0; at < this.#redirectCount; at += 1)
      this.#resolveRedirect(this.#redirects[at] ?? 0, link, hasRecords);
  }

  #acceptAnswer(index: number): void {
    const type = this.#typeOf(index);
    this.#take(index);
    if (type === Type.CNAME) this.#addAlias(index);
    else this.#addTarget(index, type);
  }

  /** Most owners are a pointer to the question. */
  #isPointer(index: number): boolean {
    return u16(this.#message, this.#start + (this.#nameAt[index] ?? 0)) === POINTER_TO_QUESTION;
  }

  #isOwner(index: number, name: Uint8Array, length: number): boolean {
    if (this.#classes[index] !== Class.IN) return false;
    if (name === this.#chain.nameAt(0) && this.#isPointer(index)) return true;
    if (this.#readOwner(index) !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#name[at] !== name[at]) return false;
    return true;
  }

  /**
   * A DNAME above the name (RFC 6672): its server sends the CNAME that it makes for the name along. Where the
   * name has no records, the chain goes on with what it would be; where it has others, the DNAME is foreign.
   */
  #resolveRedirect(index: number, link: number, hasRecords: boolean): void {
    if (this.keep[index] === 1) return;
    const name = this.#chain.nameAt(link);
    const length = this.#chain.lengthAt(link);
    const ownerLength = this.#readOwner(index);
    if (ownerLength >= length || !isBelowOrSame(name, length, this.#name)) return;
    if (this.#types[index] === Type.RRSIG) return this.#take(index);
    const targetLength = this.#readData(index, 0);
    const size = substitute(name, length, this.#other, targetLength, ownerLength);
    if (size === 0 || (hasRecords && !this.#aliases.has(this.#other, size))) return;
    this.#chain.add(this.#other, size);
    this.#take(index);
  }

  #keepsAnswer(): boolean {
    for (let index = 0; index < this.#answersEnd; index += 1) if (this.keep[index] === 1) return true;
    return false;
  }

  #keepAuthority(): void {
    const end = Math.min(this.#authoritiesEnd, this.#answersEnd + maxSectionRecords);
    for (let index = this.#answersEnd; index < end; index += 1) {
      const type = this.#typeOf(index);
      if (type === Type.RRSIG) this.#addSigner(index);
      else if (isOfZone(type)) this.#keepAbove(index);
    }
    for (let index = this.#answersEnd; index < end; index += 1) {
      if (!isProof(this.#typeOf(index))) continue;
      if (this.#zones.encloses(this.#name, this.#readOwner(index))) this.#take(index);
    }
  }

  /** SOA, NS and DS have the name of their zone, and the zone has to contain a name of the chain. */
  #keepAbove(index: number): void {
    const length = this.#readOwner(index);
    if (!this.#chain.hasBelow(this.#name)) return;
    this.#zones.add(this.#name, length);
    this.#take(index);
    this.#addTarget(index, this.#typeOf(index));
  }

  #addSigner(index: number): void {
    const length = this.#readData(index, signerAt);
    if (this.#chain.hasBelow(this.#other)) this.#zones.add(this.#other, length);
  }

  #keepAdditional(): void {
    if (this.#end === this.#authoritiesEnd) return;
    this.#hosts.clear();
    for (let link = 0; link < this.#chain.count; link += 1) this.#addHost(link);
    const end = Math.min(this.#end, this.#authoritiesEnd + maxSectionRecords);
    for (let index = this.#authoritiesEnd; index < end; index += 1) {
      if (this.#typeOf(index) === ofNoName) continue;
      const length = this.#readOwner(index);
      if (this.#isAtHost(this.#name, length)) this.#take(index);
    }
  }

  #isAtHost(name: Uint8Array, length: number): boolean {
    if (this.#hosts.has(name, length)) return true;
    return this.#targets.has(name, length) && this.#hosts.encloses(name, length);
  }

  /** The name without labels such as `_https._tcp` (RFC 8552), which name a service and not a host. */
  #addHost(link: number): void {
    const name = this.#chain.nameAt(link);
    const length = this.#chain.lengthAt(link);
    let at = 0;
    while (name[at + 1] === underscore && at + (name[at] ?? 0) + 2 < length) at += (name[at] ?? 0) + 1;
    for (let to = at; to < length; to += 1) this.#other[to - at] = name[to] ?? 0;
    this.#hosts.add(this.#other, length - at);
  }

  #typeOf(index: number): number {
    const type = this.#types[index] ?? Type.OPT;
    return this.#classes[index] === Class.IN && type !== Type.OPT ? type : ofNoName;
  }

  #take(index: number): void {
    if (this.keep[index] === 1) return;
    this.keep[index] = 1;
    this.foreign -= 1;
  }

  #readOwner(index: number): number {
    const at = this.#start + (this.#nameAt[index] ?? 0);
    return readName(this.#message, this.#start, at, this.#messageEnd, this.#name);
  }

  /** The name in the data, `skip` bytes behind its beginning. */
  #readData(index: number, skip: number): number {
    const at = this.#start + (this.#dataAt[index] ?? 0) + skip;
    return readName(this.#message, this.#start, at, this.#messageEnd, this.#other);
  }

  #addAlias(index: number): void {
    const length = this.#readData(index, 0);
    this.#chain.add(this.#other, length);
    this.#aliases.add(this.#other, length);
  }

  #addTarget(index: number, type: number): void {
    const skip = targetAt(type);
    if (skip >= 0) this.#targets.add(this.#other, this.#readData(index, skip));
  }
}

const nothing = new Uint8Array(0);

function isOfZone(type: number): boolean {
  return type === Type.SOA || type === Type.NS || type === Type.DS;
}

function isProof(type: number): boolean {
  return type === Type.NSEC || type === Type.NSEC3 || type === Type.RRSIG;
}

/** Where the data of a record names a host whose addresses may come along; -1: nowhere. */
function targetAt(type: number): number {
  if (type === Type.NS) return 0;
  if (type === Type.MX || type === Type.SVCB || type === Type.HTTPS) return 2;
  return type === Type.SRV ? 6 : -1;
}
