// Domains that come as strings: parts of longer rules, and names with letters beyond ASCII. The latter become
// A-labels by the platform, which is given nothing else: it would turn numbers into addresses (10.1 becomes
// 10.0.0.1), and checks neither lengths nor letters, so what it says is read like any other text of a list.

import { domainToASCII } from 'node:url';

import { domainEmptyLabel, domainFine, type DomainReader } from './domain-reader.ts';
import { domainReason, Invalid } from './reasons.ts';

/** A longer text is no name: even if every letter needs six to be escaped. */
const MAX_TEXT_CHARACTERS = 1024;
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
  if (status !== domainFine) return domainReason(written === 0 ? domainEmptyLabel : status);
  return reader.stop === written ? undefined : Invalid.notDomain;
}

/** undefined when it cannot be said in A-labels. */
export function asciiDomain(text: string): string | undefined {
  if (ASCII.test(text)) return text;
  if (text.length > MAX_TEXT_CHARACTERS) return undefined;
  const ascii = domainToASCII(text);
  // A label that looks empty or like a number to people must not become an address behind their back.
  return ascii === '' || !/[a-z]/i.test(ascii.slice(ascii.lastIndexOf('.') + 1)) ? undefined : ascii;
}

/** The domain as bytes of its own; undefined when the text is none. */
export function domainBytes(text: string, reader: DomainReader): Uint8Array | undefined {
  if (readDomainText(text, reader) !== undefined) return undefined;
  return reader.name.slice(0, reader.length);
}
