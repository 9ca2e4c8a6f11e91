// Turns a list's text into rules, line by line: each line is recognized by itself, because lists mix formats.
// What is not text at all (a page where a list should be, a program, an archive) is detected by its head and
// yields nothing. Whatever the bytes are, nothing here throws and no line takes long.

import { skipBlanks, isControl, NEWLINE, RETURN, isBlank } from './letters.ts';
import { BYTES_PER_CONTROL, HEAD_BYTES, MAX_LINE_BYTES } from './limits.ts';
import type { PatternCheck } from './pattern-check.ts';
import { scanLine } from './plain-line.ts';
import { Invalid } from './reasons.ts';
import { RuleScan } from './rule-scan.ts';
import type { RuleReport, RuleSink, TextKind } from './scanned-rule.ts';
import { closeRedirect } from './unbound-line.ts';

export interface ScanOptions {
  /** From loadPatternCheck. Without it regular expressions are emitted unchecked. */
  readonly checkPattern?: PatternCheck;
}

export function scanRules(bytes: Uint8Array, sink: RuleSink, options: ScanOptions = {}): RuleReport {
  const scanner = new RuleScanner(sink, options);
  scanner.feed(bytes);
  return scanner.finish();
}

/**
 * Scans a text in parts, so that a large list need not be in memory as a whole. A part ends with a line end,
 * unless it is the last one; the first one has at least HEAD_BYTES, unless it is the only one.
 */
export class RuleScanner {
  readonly #scan: RuleScan;
  #kind: TextKind | undefined;

  constructor(sink: RuleSink, options: ScanOptions = {}) {
    this.#scan = new RuleScan(new Uint8Array(0), sink, options.checkPattern);
  }

  /** `part` may be reused afterwards. */
  feed(part: Uint8Array): void {
    const isFirst = this.#kind === undefined;
    const from = isFirst && startsWithBom(part) ? 3 : 0;
    this.#kind ??= kindOf(part, from);
    if (this.#kind !== 'rules') return;
    this.#scan.feed(part);
    scanLines(this.#scan, from);
  }

  finish(): RuleReport {
    if (this.#kind === 'rules') closeRedirect(this.#scan);
    return this.#scan.report(this.#kind ?? 'empty');
  }
}

function scanLines(scan: RuleScan, from: number): void {
  const { bytes } = scan;
  let at = from;
  while (at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline;
    scan.line += 1;
    scan.lineStart = at;
    scan.lineEnd = trimmedEnd(bytes, at, end);
    if (scan.lineEnd - at > MAX_LINE_BYTES) rejectLong(scan);
    else scanLine(scan);
    at = end + 1;
  }
}

/** A long comment is still a comment. */
function rejectLong(scan: RuleScan): void {
  const first = scan.bytes[skipBlanks(scan.bytes, scan.lineStart, scan.lineEnd)] ?? 0;
  if (!'#!;'.includes(String.fromCharCode(first))) scan.reject(Invalid.tooLong);
}

function trimmedEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from) {
    const byte = bytes[end - 1] ?? 0;
    if (!isBlank(byte) && byte !== RETURN) break;
    end -= 1;
  }
  return end;
}

function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function kindOf(bytes: Uint8Array, from: number): TextKind {
  const end = Math.min(bytes.length, from + HEAD_BYTES);
  let controls = 0;
  let first = 0;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isControl(byte)) controls += 1;
    if (first === 0 && byte > 0x20) first = byte;
  }
  if (controls * BYTES_PER_CONTROL > end - from) return 'binary';
  // No rule begins like this, and every page does.
  if (first === 0x3c) return 'html';
  return first === 0 && end === bytes.length ? 'empty' : 'rules';
}
