// The state of one scan: the text, the current line, the one rule object that is reused, and the data for the
// report. The parsers of the formats are functions of it; they end in `emit`, `skip` or `reject`, or in
// nothing for lines that are not counted (comments, headers, the names of the machine itself).

import { DomainReader } from './domain-reader.ts';
import { MAX_INVALID_SAMPLES, MAX_SAMPLE_CHARACTERS, MAX_SKIPPED_SAMPLES } from './limits.ts';
import type { PatternCheck } from './pattern-check.ts';
import type {
  AddressRange,
  LineSample,
  RuleAction,
  RuleFormat,
  RuleOptions,
  RuleReach,
  RuleReport,
  RuleSink,
  ScannedRule,
  TextKind,
} from './scanned-rule.ts';
import { ZoneState } from './zone-state.ts';

export class RuleScan {
  bytes: Uint8Array;
  readonly sink: RuleSink;
  readonly checkPattern: PatternCheck | undefined;
  readonly domain = new DomainReader();
  readonly rule: ScannedRule;
  readonly zone = new ZoneState();
  line = 0;
  lineStart = 0;
  lineEnd = 0;
  patterns = 0;
  loosePatterns = 0;
  #entries = 0;
  #skipped = 0;
  #invalid = 0;
  /** A line with several bad names is one invalid line. */
  #lastCounted = 0;
  #text: Buffer;
  readonly #invalidSamples: LineSample[] = [];
  readonly #skippedSamples: LineSample[] = [];
  readonly #formats: Record<RuleFormat, number> = {
    hosts: 0,
    domain: 0,
    wildcard: 0,
    adblock: 0,
    regex: 0,
    dnsmasq: 0,
    unbound: 0,
    rpz: 0,
  };

  constructor(bytes: Uint8Array, sink: RuleSink, checkPattern: PatternCheck | undefined) {
    this.bytes = bytes;
    this.sink = sink;
    this.checkPattern = checkPattern;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.rule = {
      action: 'block',
      reach: 'exact',
      name: this.domain.name,
      nameLength: 0,
      line: 0,
      isImportant: false,
      options: undefined,
      pattern: undefined,
      address: undefined,
    };
  }

  /** Continues with the next part of the text. */
  feed(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The line's text from `from` on, as a string. Not for plain lines. */
  textFrom(from: number, to = this.lineEnd): string {
    return this.#text.toString('utf8', from, to);
  }

  /** Emits the domain that was read last. */
  emit(
    format: RuleFormat,
    action: RuleAction,
    reach: RuleReach,
    options?: RuleOptions,
    isImportant = false,
  ): void {
    this.#fill(action, reach, this.domain.length, options);
    this.rule.isImportant = isImportant;
    this.#hand(format);
  }

  emitPattern(
    format: RuleFormat,
    action: RuleAction,
    pattern: string,
    isImportant: boolean,
    options: RuleOptions | undefined,
  ): void {
    this.#fill(action, 'exact', 0, options);
    this.rule.isImportant = isImportant;
    this.rule.pattern = pattern;
    this.#hand(format);
  }

  emitAddress(
    format: RuleFormat,
    action: RuleAction,
    address: AddressRange,
    options: RuleOptions | undefined,
    isImportant = false,
  ): void {
    this.#fill(action, 'exact', 0, options);
    this.rule.isImportant = isImportant;
    this.rule.address = address;
    this.#hand(format);
  }

  #fill(action: RuleAction, reach: RuleReach, nameLength: number, options: RuleOptions | undefined): void {
    const rule = this.rule;
    rule.action = action;
    rule.reach = reach;
    rule.nameLength = nameLength;
    rule.line = this.line;
    rule.isImportant = false;
    rule.options = options;
    rule.pattern = undefined;
    rule.address = undefined;
  }

  #hand(format: RuleFormat): void {
    this.#entries += 1;
    this.#formats[format] += 1;
    this.sink.onRule(this.rule);
  }

  skip(reason: string): void {
    if (this.#lastCounted === this.line) return;
    this.#lastCounted = this.line;
    this.#skipped += 1;
    if (this.#skippedSamples.length < MAX_SKIPPED_SAMPLES) this.#skippedSamples.push(this.#sample(reason));
  }

  reject(reason: string): void {
    if (this.#lastCounted === this.line) return;
    this.#lastCounted = this.line;
    this.#invalid += 1;
    if (this.#invalidSamples.length < MAX_INVALID_SAMPLES) this.#invalidSamples.push(this.#sample(reason));
  }

  report(looksLike: TextKind): RuleReport {
    return {
      looksLike,
      lines: this.line,
      entries: this.#entries,
      skipped: this.#skipped,
      invalid: this.#invalid,
      samples: [...this.#invalidSamples, ...this.#skippedSamples],
      formats: { ...this.#formats },
    };
  }

  #sample(reason: string): LineSample {
    // A character takes at most four bytes.
    const to = Math.min(this.lineEnd, this.lineStart + 4 * MAX_SAMPLE_CHARACTERS);
    const text = this.textFrom(this.lineStart, to).replaceAll(UNPRINTABLE, '\u{fffd}').trim();
    return { line: this.line, text: cut(text), reason };
  }
}

/**
 * Control characters, line separators and characters that change the direction of writing: none of them must
 * reach a terminal.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function cut(text: string): string {
  const letters = [...text];
  if (letters.length <= MAX_SAMPLE_CHARACTERS) return text;
  return `${letters.slice(0, MAX_SAMPLE_CHARACTERS - 1).join('')}…`;
}
