// A query as bytes: the template of an exchange, its copy for one attempt with a random id and mixed case
// (draft-vixie-dnsext-dns0x20), and the check whether a message is the reply to it (RFC 5452 section 9.1).

import { Flag, MAX_NAME_BYTES, Rcode, rcodeOf, u16, writeQuery } from '#wire';
import { unfragmentedBytes } from '../transport.ts';
import type { Question } from './forwarding.ts';
import type { RandomBits } from './random-bits.ts';

const headerBytes = 12;
/** An OPT record without options (RFC 6891 section 6.1.2). */
const optBytes = 11;
export const maxQueryBytes = headerBytes + MAX_NAME_BYTES + 4 + optBytes;

/**
 * AD is set in every query: it asks for the upstream's verdict on DNSSEC without the records (RFC 6840
 * section 5.7), and what a client may see of it is decided where its answer is written.
 */
export function writeTemplate(out: Uint8Array, question: Question): number {
  const { name, type, class: dnsClass, dnssecOk, checkingDisabled } = question;
  const flags = Flag.rd | Flag.ad | (checkingDisabled ? Flag.cd : 0);
  return writeQuery(out, 0, 0, flags, name, type, dnsClass, unfragmentedBytes, dnssecOk);
}

export function writeId(bytes: Uint8Array, id: number): void {
  bytes[0] = id >>> 8;
  bytes[1] = id;
}

/** 0x20 for a lower-case letter: the bit that tells the cases apart. */
const caseBits = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x61 && byte <= 0x7a ? 0x20 : 0));

/**
 * Copies a template and makes some letters of its name upper case; false when there were none. Label lengths
 * are below 64 and letters above 96, so the name needs no walk by labels.
 */
export function copyMixed(
  from: Uint8Array,
  length: number,
  nameEnd: number,
  out: Uint8Array,
  random: RandomBits | undefined,
): boolean {
  let mixed = 0;
  let bits = 0;
  for (let at = 0; at < headerBytes; at += 1) out[at] = from[at] ?? 0;
  for (let at = headerBytes; at < nameEnd; at += 1) {
    const byte = from[at] ?? 0;
    if ((at & 7) === 4) bits = random === undefined ? 0 : random.byte() << 5;
    const flip = (caseBits[byte] ?? 0) & bits;
    out[at] = byte ^ flip;
    mixed |= flip;
    bits >>= 1;
  }
  for (let at = nameEnd; at < length; at += 1) out[at] = from[at] ?? 0;
  return mixed !== 0;
}

/** Takes the OPT record off, for servers that do not understand it (RFC 6891 section 6.2.2). */
export function withoutOpt(bytes: Uint8Array, questionEnd: number): number {
  bytes[10] = 0;
  bytes[11] = 0;
  return questionEnd;
}

/** An error reply to a query, made by us where the upstream's has no question. */
export function errorReply(query: Uint8Array, questionEnd: number, rcode: number): Uint8Array {
  const reply = query.slice(0, questionEnd);
  withoutOpt(reply, questionEnd);
  reply[2] = ((reply[2] ?? 0) & 0x01) | 0x80;
  reply[3] = 0x80 | rcode;
  return reply;
}

export const Fit = { none: 0, exact: 1, otherCase: 2, errorWithoutQuestion: 3 } as const;

/** How a message fits as the reply to a query; the id is not compared, because the query was found by it. */
export function fitOf(
  query: Uint8Array,
  nameEnd: number,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  if (length < headerBytes) return Fit.none;
  // QR set, and the opcode that we sent.
  if (((bytes[start + 2] ?? 0) & 0xf8) !== 0x80) return Fit.none;
  const questions = u16(bytes, start + 4);
  if (questions === 0) return isBareError(bytes, start, length) ? Fit.errorWithoutQuestion : Fit.none;
  if (questions !== 1 || length < nameEnd + 4) return Fit.none;
  return sameQuestion(query, nameEnd, bytes, start);
}

/** Errors of the server and not of the name; all other codes are answers. */
export function isServerError(rcode: number): boolean {
  return (
    rcode === Rcode.servFail || rcode === Rcode.refused || rcode === Rcode.formErr || rcode === Rcode.notImp
  );
}

/**
 * Servers that could not or would not read the question send it back without. What such a reply says of a
 * name is not to be believed: neither its letters nor their case show that the sender knows the question.
 */
function isBareError(bytes: Uint8Array, start: number, length: number): boolean {
  if (length > headerBytes + optBytes || !isServerError(rcodeOf(bytes, start))) return false;
  for (let at = start + 6; at < start + 10; at += 1) if (bytes[at] !== 0) return false;
  return true;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

function sameQuestion(query: Uint8Array, nameEnd: number, bytes: Uint8Array, start: number): number {
  let differs = 0;
  for (let at = headerBytes; at < nameEnd; at += 1) {
    const sent = query[at] ?? 0;
    const got = bytes[start + at] ?? 0;
    if (sent === got) continue;
    if ((sent ^ got) !== 0x20 || !isLetter(sent)) return Fit.none;
    differs += 1;
  }
  for (let at = nameEnd; at < nameEnd + 4; at += 1) if (query[at] !== bytes[start + at]) return Fit.none;
  return differs === 0 ? Fit.exact : Fit.otherCase;
}
