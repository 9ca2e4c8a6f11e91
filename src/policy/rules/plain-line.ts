// The most frequent lines of lists: hosts lines, domains, `*.x`, `||x^` and `@@||x^`. They are parsed as
// bytes, without creating a string; any other line is handled by the parsers for text.

import { domainFine } from './domain-reader.ts';
import { isFramedLine, isZoneRest } from './framed-line.ts';
import { scanHostNames } from './hosts-line.ts';
import {
  AT,
  BAR,
  CARET,
  DOT,
  HASH,
  isBlank,
  latin,
  LINE_STARTS,
  LineStart,
  skipBlanks,
  STAR,
  ZERO,
} from './letters.ts';
import { isLocalName } from './local-names.ts';
import type { RuleScan } from './rule-scan.ts';
import { scanCommentLine, scanTextLine } from './text-line.ts';

export function scanLine(scan: RuleScan): void {
  const { bytes, lineEnd } = scan;
  const at = skipBlanks(bytes, scan.lineStart, lineEnd);
  if (at === lineEnd) return;
  if (scan.zone.openLines > 0) return scanTextLine(scan, at);
  switch (LINE_STARTS[bytes[at] ?? 0]) {
    case LineStart.name:
      return scanNameLine(scan, at);
    case LineStart.bars:
      return scanBarsLine(scan, at);
    case LineStart.star:
      return scanStarLine(scan, at);
    case LineStart.colon:
      return scanColonLine(scan, at);
    case LineStart.comment:
      return scanCommentLine(scan, at);
    default:
      return scanTextLine(scan, at);
  }
}

/** `::` and `::1` of hosts files. */
function scanColonLine(scan: RuleScan, at: number): void {
  const { bytes, lineEnd } = scan;
  const names = behind(bytes, at, lineEnd, NULL_ADDRESS6) || behind(bytes, at, lineEnd, LOOPBACK_ADDRESS6);
  if (names !== 0) return scanHostNames(scan, names);
  scanTextLine(scan, at);
}

function scanNameLine(scan: RuleScan, at: number): void {
  const { bytes, lineEnd, domain } = scan;
  const names = behindNowhere(bytes, at, lineEnd);
  if (names !== 0) return scanHostNames(scan, names);
  if (domain.read(bytes, at, lineEnd) !== domainFine) return scanTextLine(scan, at);
  if (isRestEmpty(bytes, domain.stop, lineEnd)) return emitDomain(scan, at);
  if (isZoneRest(scan, false) || isFramedLine(scan, at)) return;
  scanTextLine(scan, at);
}

function emitDomain(scan: RuleScan, at: number): void {
  if (scan.domain.labels <= 2 && isLocalName(scan.domain)) return;
  if (scan.domain.labels === 1) return scanTextLine(scan, at);
  scan.emit('domain', 'block', 'exact');
}

/** Where the names begin after `0.0.0.0` or `127.0.0.1`, which nearly every hosts line has; 0 without. */
function behindNowhere(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === ZERO) return behind(bytes, at, end, NULL_ADDRESS);
  return bytes[at] === ONE ? behind(bytes, at, end, LOOPBACK_ADDRESS) : 0;
}

const ONE = 0x31;
const NULL_ADDRESS = latin('0.0.0.0');
const LOOPBACK_ADDRESS = latin('127.0.0.1');
const NULL_ADDRESS6 = latin('::');
const LOOPBACK_ADDRESS6 = latin('::1');

function behind(bytes: Uint8Array, at: number, end: number, address: Uint8Array): number {
  const stop = at + address.length;
  if (stop >= end || !isBlank(bytes[stop] ?? 0)) return 0;
  for (let index = 0; index < address.length; index += 1) {
    if (bytes[at + index] !== address[index]) return 0;
  }
  return stop;
}

function scanBarsLine(scan: RuleScan, at: number): void {
  if (!isBarsLine(scan, at)) scanTextLine(scan, at);
}

function scanStarLine(scan: RuleScan, at: number): void {
  if (!isStarLine(scan, at)) scanTextLine(scan, at);
}

/** `||x^` and `@@||x^`, optionally with a bar at the end; false for any other line that begins like that. */
function isBarsLine(scan: RuleScan, at: number): boolean {
  const { bytes, lineEnd, domain } = scan;
  const isAllow = bytes[at] === AT && bytes[at + 1] === AT;
  const bars = isAllow ? at + 2 : at;
  if (bytes[bars] !== BAR || bytes[bars + 1] !== BAR) return false;
  if (domain.read(bytes, bars + 2, lineEnd) !== domainFine || bytes[domain.stop] !== CARET) return false;
  // A dot before the `^` is for names that continue; the reader would drop it.
  if (bytes[domain.stop - 1] === DOT) return false;
  if (!isBarsEnd(bytes, domain.stop + 1, lineEnd)) return false;
  scan.emit('adblock', isAllow ? 'allow' : 'block', 'below');
  return true;
}

function isStarLine(scan: RuleScan, at: number): boolean {
  const { bytes, lineEnd, domain } = scan;
  if (bytes[at] !== STAR || bytes[at + 1] !== DOT) return false;
  if (domain.read(bytes, at + 2, lineEnd) !== domainFine) return false;
  if (!isRestEmpty(bytes, domain.stop, lineEnd)) return isZoneRest(scan, true);
  scan.emit('wildcard', 'block', 'below');
  return true;
}

/** The line was trimmed: its end is never a blank. */
function isBarsEnd(bytes: Uint8Array, at: number, end: number): boolean {
  return at === end || (at + 1 === end && bytes[at] === BAR);
}

/** Nothing, or a comment. `x##y` is cosmetic, so without a blank only a single `#` begins a comment. */
function isRestEmpty(bytes: Uint8Array, at: number, end: number): boolean {
  if (at === end) return true;
  const next = skipBlanks(bytes, at, end);
  if (next === end) return true;
  return next > at && bytes[next] === HASH;
}
