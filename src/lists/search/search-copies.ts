// A search over all stored copies, within a bounded time: for part of a name, or for the rules that are about
// a name. Texts are looked for as bytes, a block at a time, and only lines that have one are read as rules:
// most of a list is never looked at twice. The scanner still has the last word, so that comments and cosmetic
// rules are no hits.

import { scanRules, type RuleAction, type RuleReach, type ScannedRule } from '#policy';
import { aboutOf } from './find-rules.ts';
import { ListCopies, type FoundCopy } from '../copies/list-copies.ts';
import { endOfLine, newlinesIn, shownLine } from './line-text.ts';
import { searchTerm, type SearchTerm } from './search-term.ts';
import { versionsInForce } from '../snapshot/snapshot-file.ts';
import { readParts } from '../copies/text-parts.ts';

export interface SearchRequest {
  readonly listsFolder: string;
  readonly listIds: readonly number[];
  /** Where it says which copy of each list is in force; otherwise, and for the others, the current one. */
  readonly snapshotPath?: string | undefined;
  /** A name or part of one, in whatever case. */
  readonly text: string;
  /** Rules that are about the name; otherwise all that have the text in them. */
  readonly isExact: boolean;
  /** Hits that are told; all are counted. */
  readonly hitsMax: number;
  /** When the time is over, by the clock that is handed in. */
  readonly untilMs: number;
}

export interface SearchHit {
  readonly listId: number;
  readonly line: number;
  /** The line as it is written. */
  readonly text: string;
  /** The name or the pattern that the rule is about. */
  readonly about: string;
  readonly action: RuleAction;
  readonly reach: RuleReach;
  readonly isPattern: boolean;
}

export interface SearchOutcome {
  readonly hits: readonly SearchHit[];
  /** By list, also those that are not told. */
  readonly counts: readonly { readonly listId: number; readonly hits: number }[];
  /** False when the time was over before everything was searched, or a copy could not be read. */
  readonly isComplete: boolean;
}

const newline = 0x0a;
const blockBytes = 65_536;
/** No line that is a rule is longer. */
const overlapBytes = 8192;
const hitsMaxOfAll = 10_000;

export function searchCopies(request: SearchRequest, nowMs: () => number): Promise<SearchOutcome> {
  return new CopySearch(request, nowMs).run();
}

class TimeIsOver extends Error {}

class CopySearch {
  readonly #request: SearchRequest;
  readonly #nowMs: () => number;
  readonly #term: SearchTerm;
  readonly #hits: SearchHit[] = [];
  readonly #block = Buffer.alloc(blockBytes + overlapBytes);
  #hasLost = false;

  constructor(request: SearchRequest, nowMs: () => number) {
    this.#request = request;
    this.#nowMs = nowMs;
    this.#term = searchTerm(request.text, request.isExact);
  }

  async run(): Promise<SearchOutcome> {
    const { listIds, listsFolder, snapshotPath } = this.#request;
    const copies = new ListCopies(listsFolder);
    const inForce = snapshotPath === undefined ? undefined : versionsInForce(snapshotPath);
    const counts: { listId: number; hits: number }[] = [];
    for (const listId of this.#term.needles.length === 0 ? [] : listIds) {
      if (this.#isOver()) break;
      const copy = copies.findCurrent(listId, inForce?.get(listId));
      counts.push({ listId, hits: copy === undefined ? 0 : await this.#searchCopy(listId, copy) });
    }
    return { hits: this.#hits, counts, isComplete: !this.#isOver() && !this.#hasLost };
  }

  #isOver(): boolean {
    return this.#nowMs() >= this.#request.untilMs;
  }

  async #searchCopy(listId: number, { path, description }: FoundCopy): Promise<number> {
    let count = 0;
    let line = 1;
    const take = (part: Uint8Array): void => {
      for (let at = 0; at < part.length;) {
        if (this.#isOver()) throw new TimeIsOver();
        const end = blockEnd(part, at);
        count += this.#searchBlock(listId, line, part, at, end);
        line += newlinesIn(part, at, end);
        at = end;
      }
    };
    try {
      await readParts(path, description.unpackedBytes, take);
    } catch (error) {
      // A list that is deleted just now must not spoil the search in the others.
      if (!(error instanceof TimeIsOver)) this.#hasLost = true;
    }
    return count;
  }

  #searchBlock(listId: number, firstLine: number, bytes: Uint8Array, from: number, end: number): number {
    let count = 0;
    let line = firstLine;
    let at = from;
    for (const start of this.#linesIn(bytes, from, end)) {
      line += newlinesIn(bytes, at, start);
      at = start;
      count += this.#rulesOf(listId, line, bytes, start);
    }
    return count;
  }

  /** Where the lines begin that have the text, in their order. */
  #linesIn(bytes: Uint8Array, from: number, end: number): readonly number[] {
    const block = this.#lowerCased(bytes, from, end);
    const starts = new Set<number>();
    for (const needle of this.#term.needles) {
      for (let at = block.indexOf(needle); at !== -1;) {
        const isHit = this.#term.mayBeAt(block, at, needle.length);
        if (isHit) starts.add(from + block.lastIndexOf(newline, at) + 1);
        const next = isHit ? block.indexOf(newline, at) : at + 1;
        at = next === -1 ? -1 : block.indexOf(needle, next);
      }
    }
    return [...starts].toSorted((a, b) => a - b);
  }

  #lowerCased(bytes: Uint8Array, from: number, end: number): Buffer {
    const length = Math.min(end - from, this.#block.length);
    for (let at = 0; at < length; at++) {
      const byte = bytes[from + at] ?? 0;
      this.#block[at] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    }
    return this.#block.subarray(0, length);
  }

  #rulesOf(listId: number, line: number, bytes: Uint8Array, start: number): number {
    const end = endOfLine(bytes, start);
    const isWholeLine = start === 0 || bytes[start - 1] === newline;
    if (!isWholeLine || end - start > overlapBytes) return 0;
    let count = 0;
    const onRule = (rule: ScannedRule): void => {
      const { pattern, reach, action } = rule;
      const about = pattern ?? aboutOf(rule);
      if (!this.#term.isAbout(about, reach, pattern !== undefined)) return;
      count += 1;
      if (this.#hits.length >= Math.min(this.#request.hitsMax, hitsMaxOfAll)) return;
      const text = shownLine(bytes, start, end);
      this.#hits.push({ listId, line, text, about, action, reach, isPattern: pattern !== undefined });
    };
    scanRules(bytes.subarray(start, end), { onRule });
    return count;
  }
}

/** After the last whole line of a block; a line that is longer than a block is cut, as it is no rule. */
function blockEnd(bytes: Uint8Array, from: number): number {
  const end = from + blockBytes;
  return end >= bytes.length ? bytes.length : Math.min(endOfLine(bytes, end) + 1, end + overlapBytes);
}
