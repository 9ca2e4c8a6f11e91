// Domains that come as strings: parts of longer rules, and names with letters beyond ASCII. The latter become
// A-labels by the platform, which is given nothing else: it would turn numbers into addresses (10.1 becomes
// 10.0.0.1), and checks neither lengths nor letters, so what it says is read like any other text of a list.

import { domainToASCII } from 'node:url';

import { domainFine, type DomainReader } from './domain-reader.ts';
import { NAME_BYTES } from './letters.ts';
import { domainReason, Invalid } from './reasons.ts';

/** A longer text is no name: even if every letter needs six to be escaped. */
const MAX_TEXT_CHARACTERS = 1024;
/** In ASCII, what no name has; percent signs would be decoded. */
const FOREIGN = /[^a-z0-9_.\u0080-\u{10ffff}-]/iu;
const ASCII = /^[\u0000-\u007f]*$/;
const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_TEXT_CHARACTERS);

/** Reads the whole text as one domain into `reader`. Says why it is none; nothing when it is. */
export function readDomainText(text: string, reader: DomainReader): string | undefined {
  const ascii = asciiDomain(text);
  if (ascii === undefined) return Invalid.idn;
  if (ascii.length > MAX_TEXT_CHARACTERS) return Invalid.notDomain;
  const { written } = encoder.encodeInto(ascii, scratch);
  const status = reader.read(scratch, 0, written);
  // The first sign that no name has speaks before whatever it cut short.
  if (reader.stop < written && NAME_BYTES[scratch[reader.stop] ?? 0] === 0) return Invalid.notDomain;
  return status === domainFine ? undefined : domainReason(status);
}

/** undefined when it cannot be said in A-labels. */
export function asciiDomain(text: string): string | undefined {
  if (ASCII.test(text)) return text;
  if (text.length > MAX_TEXT_CHARACTERS || FOREIGN.test(text)) return undefined;
  const ascii = domainToASCII(text).replace(/\.$/, '');
  // Full-width digits become an address here, too.
  return /[a-z][^.]*$/.test(ascii) ? ascii : undefined;
}

/** The domain as bytes of its own; undefined when the text is none. */
export function domainBytes(text: string, reader: DomainReader): Uint8Array | undefined {
  if (readDomainText(text, reader) !== undefined) return undefined;
  return reader.name.slice(0, reader.length);
}
