// Searches all stored copies, until a deadline, for part of a name or for the rules that concern a name.
// First a byte search finds candidate lines, block by block; only these are scanned as rules, so most of a
// list is read just once. The scanner decides, so that comments and cosmetic rules are not hits.

import { limits } from '#contract/limits';
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
  /** The build record beside it says which copy of a list is in force; else the current one is searched. */
  readonly snapshotPath?: string | undefined;
  /** A name or part of one; case is ignored. */
  readonly text: string;
  /** True: rules that concern the name. False: rules that contain the text. */
  readonly isExact: boolean;
  /** Hits that are returned; all are counted. */
  readonly maxHits: number;
  /** Deadline on the clock `nowMs`. */
  readonly untilMs: number;
}

export interface SearchHit {
  readonly listId: number;
  readonly line: number;
  /** The original line. */
  readonly text: string;
  /** The name, address range or pattern of the rule. */
  readonly about: string;
  readonly action: RuleAction;
  readonly reach: RuleReach;
  readonly isPattern: boolean;
}

export interface SearchOutcome {
  readonly hits: readonly SearchHit[];
  /** By list, including hits that are not returned. */
  readonly counts: readonly { readonly listId: number; readonly hits: number }[];
  /** False when the deadline ended the search, or a copy could not be read. */
  readonly isComplete: boolean;
}

const newline = 0x0a;
const blockBytes = 65_536;
/** Longer lines are never rules. */
const overlapBytes = 8192;

export function searchCopies(request: SearchRequest, nowMs: () => number): Promise<SearchOutcome> {
  return new CopySearch(request, nowMs).run();
}

class DeadlineReached extends Error {}

class CopySearch {
  readonly #request: SearchRequest;
  readonly #nowMs: () => number;
  readonly #term: SearchTerm;
  readonly #hits: SearchHit[] = [];
  readonly #block = Buffer.alloc(blockBytes + overlapBytes);
  #hasUnreadCopy = false;

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
    return { hits: this.#hits, counts, isComplete: !this.#isOver() && !this.#hasUnreadCopy };
  }

  #isOver(): boolean {
    return this.#nowMs() >= this.#request.untilMs;
  }

  async #searchCopy(listId: number, { path, description }: FoundCopy): Promise<number> {
    let count = 0;
    let line = 1;
    const searchPart = (part: Uint8Array): void => {
      for (let at = 0; at < part.length;) {
        if (this.#isOver()) throw new DeadlineReached();
        const end = blockEnd(part, at);
        count += this.#searchBlock(listId, line, part, at, end);
        line += newlinesIn(part, at, end);
        at = end;
      }
    };
    try {
      await readParts(path, description.unpackedBytes, searchPart);
    } catch (error) {
      // A list that is deleted during the search must not fail the search in the others.
      if (!(error instanceof DeadlineReached)) this.#hasUnreadCopy = true;
    }
    return count;
  }

  #searchBlock(listId: number, firstLine: number, bytes: Uint8Array, from: number, end: number): number {
    let count = 0;
    let line = firstLine;
    let at = from;
    for (const start of this.#candidateLines(bytes, from, end)) {
      line += newlinesIn(bytes, at, start);
      at = start;
      count += this.#rulesOf(listId, line, bytes, start);
    }
    return count;
  }

  /** Start positions of the lines that contain a needle, in ascending order. */
  #candidateLines(bytes: Uint8Array, from: number, end: number): readonly number[] {
    const block = this.#lowerCased(bytes, from, end);
    const starts = new Set<number>();
    for (const needle of this.#term.needles) {
      for (let at = block.indexOf(needle); at !== -1;) {
        const isHit = this.#term.isCandidate(block, at, needle.length);
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
      if (this.#hits.length >= Math.min(this.#request.maxHits, limits.searchHits)) return;
      const text = shownLine(bytes, start, end);
      this.#hits.push({ listId, line, text, about, action, reach, isPattern: pattern !== undefined });
    };
    scanRules(bytes.subarray(start, end), { onRule });
    return count;
  }
}

/** After the last whole line of a block. A line longer than a block is split, because it cannot be a rule. */
function blockEnd(bytes: Uint8Array, from: number): number {
  const end = from + blockBytes;
  return end >= bytes.length ? bytes.length : Math.min(endOfLine(bytes, end) + 1, end + overlapBytes);
}
