// A name as a user writes it: `ads.example`, `*.ads.example` for it and everything below, or the same in
// adblock syntax, which people copy from lists (`||ads.example^`). It is converted to its stored form. Other
// texts (a URL, a line of a hosts file, an expression) are not guessed at: the message says what to write
// instead, because an unintended rule is worse than none.

import { addressBytes } from './address-text.ts';
import { readTarget } from './adblock-target.ts';
import { asciiDomain } from './domain-text.ts';
import { domainFine, domainNumber, DomainReader, type DomainStatus } from './domain-reader.ts';
import { NAME_BYTES } from './letters.ts';
import { MAX_LINE_BYTES } from './limits.ts';
import { domainReason } from './reasons.ts';
import type { RuleAction, RuleReach } from './scanned-rule.ts';

export interface UserName {
  readonly isFine: true;
  readonly reach: RuleReach;
  /** Lower-cased wire bytes, the root label included. */
  readonly name: Uint8Array;
  /** As stored: in lower case and A-labels, with `*.` in front when it reaches below. */
  readonly text: string;
  readonly isImportant: boolean;
}

export interface NameProblem {
  readonly isFine: false;
  readonly kind: 'blanks' | 'notIdn' | 'notDomain';
  readonly hint: string;
  /** The position of the problem, from 0 on. */
  readonly position: number;
}

const BLANK = /[\s\p{Cc}]/u;
const PAGE = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#:@]+)/i;
const IN_SLASHES = /^\/.*\/$/;
const ADBLOCK = /^@@|^\||[\^$]/;
/** Reused: all rules, possibly a hundred thousand, are parsed again after each change. */
const reader = new DomainReader();
const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_LINE_BYTES);

export function readUserName(text: string, action: RuleAction): UserName | NameProblem {
  const blank = text.search(BLANK);
  if (blank !== -1) return { isFine: false, kind: 'blanks', hint: text, position: blank };
  if (ADBLOCK.test(text)) return readAdblock(text, action);
  const instead = whatInstead(text);
  if (instead !== undefined) return notDomain(text, instead, 0);
  return text.startsWith('*.') ? readName(text, 2, 'below', false) : readName(text, 0, 'exact', false);
}

/** What to write instead of a text that is clearly something else. */
function whatInstead(text: string): string | undefined {
  const [, host] = PAGE.exec(text) ?? [];
  if (host !== undefined) return `this is the address of a page and DNS sees names only; write ${host}`;
  if (IN_SLASHES.test(text)) return 'this is a regular expression; add it to the kind regex, without slashes';
  const [before = ''] = text.split('/');
  if (text.includes('/') && before !== '') return `DNS sees names only, no paths; write ${before}`;
  if (text.startsWith('.') && text.length > 1) return `for the name and everything below it write *${text}`;
  if (/^[^*]+\*|^\*(?!\.)/.test(text)) {
    return 'a * stands only at the beginning, as in *.ads.example; for others use the kind regex';
  }
  return undefined;
}

function readName(
  text: string,
  from: number,
  reach: 'exact' | 'below',
  isImportant: boolean,
): UserName | NameProblem {
  const written = text.slice(from);
  const ascii = asciiDomain(written);
  if (ascii === undefined) {
    const position = from + Math.max(0, written.search(/[^\u0000-\u007f]/));
    return { isFine: false, kind: 'notIdn', hint: `${text}: cannot be written as a DNS name`, position };
  }
  const { written: length } = encoder.encodeInto(ascii, scratch);
  const status = reader.read(scratch, 0, length);
  const isWhole = reader.stop === length;
  if ((status !== domainFine && status !== domainNumber) || !isWhole)
    return notDomain(text, reasonOf(status, length), from + Math.min(reader.stop, written.length));
  const shown = ascii.toLowerCase().replace(/\.$/, '');
  const name = reader.name.slice(0, reader.length);
  return { isFine: true, reach, name, text: reach === 'below' ? `*.${shown}` : shown, isImportant };
}

/** A character that names cannot contain is reported before the problem that it causes. */
function reasonOf(status: DomainStatus, length: number): string {
  const isForeign = reader.stop < length && NAME_BYTES[scratch[reader.stop] ?? 0] === 0;
  return isForeign
    ? 'a character that names cannot contain'
    : domainReason(status).replace(/^not a domain: /, '');
}

/** `||x^`, `|x^` and their variants with `@@` and `$important`: syntax of lists with a clear meaning. */
function readAdblock(text: string, action: RuleAction): UserName | NameProblem {
  const isException = text.startsWith('@@');
  if (isException && action === 'block') {
    return notDomain(text, '@@ allows; add it to the type allow, or write it without @@', 0);
  }
  const [before = '', modifiers] = (isException ? text.slice(2) : text).split(/\$(.*)/s);
  if (modifiers !== undefined && modifiers !== 'important') {
    const position = text.length - modifiers.length;
    return notDomain(text, 'own rules have ;querytype=, ;client= and ;reply= instead of modifiers', position);
  }
  return readAdblockTarget(text, before, modifiers !== undefined);
}

function readAdblockTarget(text: string, before: string, isImportant: boolean): UserName | NameProblem {
  const target = readTarget(before);
  if (target.kind === 'name' && target.reach !== 'onlyBelow') {
    const read = readName(target.text, 0, target.reach, isImportant);
    return read.isFine ? read : { ...read, hint: `${text}: ${read.hint}`, position: 0 };
  }
  const reason = target.kind === 'skip' || target.kind === 'invalid' ? `${target.reason}; ` : '';
  return notDomain(text, `${reason}write a name, *.name, or an expression of the kind regex`, 0);
}

function notDomain(text: string, why: string, position: number): NameProblem {
  const isAddress = addressBytes(text) !== undefined;
  const reason = isAddress ? 'this is an address, not a name' : why;
  return {
    isFine: false,
    kind: 'notDomain',
    hint: `${text}: ${reason}${position === 0 ? '' : `, at character ${position + 1}`}`,
    position,
  };
}
