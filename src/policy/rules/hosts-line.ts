// The names of a hosts line, one by one. Addresses and the machine's own names are ignored; a bad name makes
// the line count as invalid, but its other names are used.

import { domainFine } from './domain-reader.ts';
import { readDomainText } from './domain-text.ts';
import { HASH, isBlank, skipBlanks } from './letters.ts';
import { isAddress } from './address-text.ts';
import { isLocalName } from './local-names.ts';
import { Invalid } from './reasons.ts';
import type { RuleScan } from './rule-scan.ts';

/** Every name of a hosts line, from `from` on. */
export function scanHostNames(scan: RuleScan, from: number): void {
  const { bytes, lineEnd } = scan;
  let at = skipBlanks(bytes, from, lineEnd);
  while (at < lineEnd && bytes[at] !== HASH) at = skipBlanks(bytes, readHostName(scan, at), lineEnd);
}

/** Reads the word at `at`; returns where it ends. */
function readHostName(scan: RuleScan, at: number): number {
  const { bytes, lineEnd, domain } = scan;
  const status = domain.read(bytes, at, lineEnd);
  const stop = domain.stop;
  if (status === domainFine && endsWord(bytes, stop, lineEnd)) {
    emitHost(scan);
    return stop;
  }
  const end = wordEnd(bytes, at, lineEnd);
  const word = scan.textFrom(at, end);
  if (isAddress(word)) return end;
  const problem = readDomainText(word, domain);
  if (problem === undefined) emitHost(scan);
  else scan.reject(problem);
  return end;
}

function emitHost(scan: RuleScan): void {
  if (scan.domain.labels <= 2 && isLocalName(scan.domain)) return;
  if (scan.domain.labels === 1) return scan.reject(Invalid.single);
  scan.emit('hosts', 'block', 'exact');
}

function endsWord(bytes: Uint8Array, at: number, end: number): boolean {
  if (at === end) return true;
  const byte = bytes[at] ?? 0;
  return isBlank(byte) || byte === HASH;
}

function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && !endsWord(bytes, next, end)) next += 1;
  return next;
}
