// One walk over a reply of an upstream that has been cleaned, before it is kept: how long it holds, what it
// leads to, what a record of history says about it, and whether the upstream blocked it. The findings stay in
// one object that is filled again and again.

import { Class, messageFlags, Rcode, RecordCursor, Section, Type, u32 } from '#wire';
import { isPrivateRecord, isUnspecified } from '../reply/private-address.ts';
import { State } from './entry.ts';

/** What kind of answer it is; the numbers are those of the history API. */
export const ReplyKind = {
  unknown: 0,
  noData: 1,
  nxDomain: 2,
  cname: 3,
  address: 4,
  domain: 5,
  text: 6,
  servFail: 7,
  refused: 8,
  notImp: 9,
  other: 10,
  dnssec: 11,
  none: 12,
  blob: 13,
} as const;

/** How an upstream said that it blocks. */
const UpstreamBlock = { none: 0, address: 1, unspecified: 2, nxDomain: 3, extendedError: 4 } as const;

const edeBlocked = 15;
const raOrAa = 0x0480;

export class Examined {
  /** The least TTL of the answer section; -1 when it is empty. */
  answerTtlSeconds = -1;
  /** RFC 2308: the lesser of the SOA's TTL and its minimum; -1 without SOA. */
  negativeTtlSeconds = -1;
  /** Where the TTL of that SOA stands, as an offset in the message; 0: none. */
  soaTtlAt = 0;
  state = 0;
  replyKind = 0;
  upstreamBlock = 0;
  /** -1: none. */
  extendedError = -1;
  /** Offset in the message; 0: none. */
  firstAddressAt = 0;
  firstAddressLength = 0;
  readonly #cursor = new RecordCursor();

  /** `extendedError`: that of the OPT record, which has been taken out; -1: none. */
  examine(message: Uint8Array, start: number, length: number, type: number, extendedError: number): void {
    this.#reset();
    const flags = messageFlags(message, start);
    const rcode = flags & 0xf;
    const cursor = this.#cursor;
    this.extendedError = extendedError;
    cursor.start(message, start, length);
    while (cursor.next()) this.#examine(message, start, type);
    if (this.replyKind === ReplyKind.unknown) this.replyKind = kindOfRcode(rcode);
    if (rcode === Rcode.nxDomain && (flags & raOrAa) === 0) this.upstreamBlock = UpstreamBlock.nxDomain;
    if (this.extendedError === edeBlocked) this.upstreamBlock = UpstreamBlock.extendedError;
  }

  #reset(): void {
    this.answerTtlSeconds = -1;
    this.negativeTtlSeconds = -1;
    this.soaTtlAt = 0;
    this.state = 0;
    this.replyKind = ReplyKind.unknown;
    this.upstreamBlock = UpstreamBlock.none;
    this.firstAddressAt = 0;
    this.firstAddressLength = 0;
  }

  #examine(message: Uint8Array, start: number, type: number): void {
    const cursor = this.#cursor;
    if (cursor.section === Section.authority && cursor.type === Type.SOA) this.#examineSoa(message, start);
    if (isPrivateRecord(cursor)) this.state |= State.privateAddresses;
    if (cursor.section !== Section.answer) return;
    const ttl = cursor.ttlSeconds;
    this.answerTtlSeconds = this.answerTtlSeconds < 0 ? ttl : Math.min(this.answerTtlSeconds, ttl);
    if (cursor.class === Class.IN) this.#examineAnswer(message, start, type);
  }

  #examineAnswer(message: Uint8Array, start: number, type: number): void {
    const cursor = this.#cursor;
    if (isTarget(cursor.type)) this.state |= State.hasTargets;
    if (cursor.type === Type.A || cursor.type === Type.AAAA) this.#examineAddress(message, start);
    else if (cursor.type === type || this.replyKind === ReplyKind.unknown)
      this.replyKind = kindOfType(cursor.type);
  }

  #examineSoa(message: Uint8Array, start: number): void {
    const { dataAt, dataLength, ttlAt, ttlSeconds } = this.#cursor;
    // Two names of a byte or more, then five numbers.
    if (dataLength < 22 || this.soaTtlAt !== 0) return;
    this.soaTtlAt = ttlAt - start;
    this.negativeTtlSeconds = Math.min(ttlSeconds, u32(message, dataAt + dataLength - 4));
  }

  #examineAddress(message: Uint8Array, start: number): void {
    const { dataAt, dataLength, type } = this.#cursor;
    if (dataLength !== (type === Type.A ? 4 : 16)) return;
    this.replyKind = ReplyKind.address;
    if (this.firstAddressAt === 0) {
      this.firstAddressAt = dataAt - start;
      this.firstAddressLength = dataLength;
    }
    if (isUnspecified(message, dataAt, dataLength)) this.upstreamBlock = UpstreamBlock.unspecified;
    else if (isBlockPage(message, dataAt, dataLength)) this.upstreamBlock = UpstreamBlock.address;
  }
}

function isService(type: number): boolean {
  return type === Type.HTTPS || type === Type.SVCB;
}

function isTarget(type: number): boolean {
  return type === Type.CNAME || type === Type.A || type === Type.AAAA || isService(type);
}

/** 146.112.61.104 to .110, also as ::ffff:…: where a well-known public resolver sends blocked names. */
function isBlockPage(message: Uint8Array, at: number, length: number): boolean {
  const ipv4 = at + length - 4;
  const last = message[ipv4 + 3] ?? 0;
  if (message[ipv4] !== 146 || message[ipv4 + 1] !== 112 || message[ipv4 + 2] !== 61) return false;
  return last >= 104 && last <= 110 && (length === 4 || message[at + 10] === 0xff);
}

const kindsOfTypes: Readonly<Record<number, number>> = {
  [Type.CNAME]: ReplyKind.cname,
  [Type.PTR]: ReplyKind.domain,
  [Type.TXT]: ReplyKind.text,
  [Type.DS]: ReplyKind.dnssec,
  [Type.DNSKEY]: ReplyKind.dnssec,
  [Type.RRSIG]: ReplyKind.dnssec,
};

function kindOfType(type: number): number {
  return kindsOfTypes[type] ?? ReplyKind.other;
}

const kindsOfRcodes: Readonly<Record<number, number>> = {
  [Rcode.noError]: ReplyKind.noData,
  [Rcode.nxDomain]: ReplyKind.nxDomain,
  [Rcode.servFail]: ReplyKind.servFail,
  [Rcode.refused]: ReplyKind.refused,
  [Rcode.notImp]: ReplyKind.notImp,
};

function kindOfRcode(rcode: number): number {
  return kindsOfRcodes[rcode] ?? ReplyKind.other;
}
