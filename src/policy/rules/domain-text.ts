// Domains as strings: parts of longer rules, and names with letters beyond ASCII. The platform converts the
// latter to A-labels. It gets nothing else, because it would turn numbers into addresses (10.1 becomes
// 10.0.0.1), and it checks neither lengths nor letters, so its result is parsed like any other text of a
// list.

import { domainToASCII } from 'node:url';

import { domainFine, type DomainReader } from './domain-reader.ts';
import { NAME_BYTES } from './letters.ts';
import { domainReason, Invalid } from './reasons.ts';

/** A longer text is not a name, even if every letter needs six characters when escaped. */
const MAX_TEXT_CHARACTERS = 1024;
/** ASCII characters that names cannot contain; percent signs would be decoded. */
const FOREIGN = /[^a-z0-9_.\u0080-\u{10ffff}-]/iu;
const ASCII = /^[\u0000-\u007f]*$/;
const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_TEXT_CHARACTERS);

/** Reads the whole text as one domain into `reader`. Returns the problem; undefined when it is a domain. */
export function readDomainText(text: string, reader: DomainReader): string | undefined {
  const ascii = asciiDomain(text);
  if (ascii === undefined) return Invalid.idn;
  if (ascii.length > MAX_TEXT_CHARACTERS) return Invalid.notDomain;
  const { written } = encoder.encodeInto(ascii, scratch);
  const status = reader.read(scratch, 0, written);
  // A character that names cannot contain is reported before the problem that it causes.
  if (reader.stop < written && NAME_BYTES[scratch[reader.stop] ?? 0] === 0) return Invalid.notDomain;
  return status === domainFine ? undefined : domainReason(status);
}

/** undefined when it cannot be expressed in A-labels. */
export function asciiDomain(text: string): string | undefined {
  if (ASCII.test(text)) return text;
  if (text.length > MAX_TEXT_CHARACTERS || FOREIGN.test(text)) return undefined;
  const ascii = domainToASCII(text).replace(/\.$/, '');
  // Full-width digits also become an address here.
  return /[a-z][^.]*$/.test(ascii) ? ascii : undefined;
}

/** The domain as a new byte array; undefined when the text is not a domain. */
export function domainBytes(text: string, reader: DomainReader): Uint8Array | undefined {
  if (readDomainText(text, reader) !== undefined) return undefined;
  return reader.name.slice(0, reader.length);
}
