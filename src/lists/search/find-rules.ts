// Finds the lines of lists that concern given names: explanations show them beside a verdict. A snapshot
// holds neither names nor line numbers, so the stored copy is scanned again, in the compile thread.

import { rangeText, RuleScanner, type RuleAction, type RuleReach, type ScannedRule } from '#policy';
import { nameToText } from '#wire';
import { ListCopies, type FoundCopy } from '../copies/list-copies.ts';
import { lineText, newlinesIn } from './line-text.ts';
import { versionsInForce } from '../snapshot/snapshot-file.ts';
import { readParts } from '../copies/text-parts.ts';

export interface FindRequest {
  readonly listsFolder: string;
  /** `version`: the copy to read (see BuildRecord); without it, or when it is missing, the current one. */
  readonly lists: readonly { readonly id: number; readonly version?: number | undefined }[];
  /** The build record beside it gives the versions of lists that have none here. */
  readonly snapshotPath?: string | undefined;
  /** Lower-cased wire names with the root label. */
  readonly names: readonly Uint8Array[];
  /** Address ranges such as 192.0.2.0/24. */
  readonly ranges?: readonly string[];
  /** Deadline on the clock `nowMs`: the rules found by then are returned. */
  readonly untilMs?: number;
}

export interface FoundRule {
  readonly listId: number;
  /** Version of the copy. */
  readonly version: number;
  readonly fetchedMs: number;
  /** Counted from 1. */
  readonly line: number;
  /** The original line, truncated; '' for a rule in unbound syntax whose line is in an earlier part. */
  readonly text: string;
  readonly about: string;
  readonly action: RuleAction;
  readonly reach: RuleReach;
  readonly isImportant: boolean;
}

/** More lines would not explain anything. */
const maxFoundPerList = 50;

interface Wanted {
  readonly names: ReadonlyMap<number, readonly Uint8Array[]>;
  readonly ranges: ReadonlySet<string>;
  readonly isOver: () => boolean;
}

class DeadlineReached extends Error {}

export async function findRules(
  { listsFolder, lists, names, ranges = [], snapshotPath, untilMs = Infinity }: FindRequest,
  nowMs: () => number,
): Promise<readonly FoundRule[]> {
  const copies = new ListCopies(listsFolder);
  const inForce = snapshotPath === undefined ? undefined : versionsInForce(snapshotPath);
  const wanted = { names: byLength(names), ranges: new Set(ranges), isOver: () => nowMs() >= untilMs };
  const found: FoundRule[] = [];
  for (const { id, version } of lists) {
    if (wanted.isOver()) break;
    const copy = copies.findCurrent(id, version ?? inForce?.get(id));
    if (copy !== undefined) found.push(...(await findIn(id, copy, wanted)));
  }
  return found;
}

async function findIn(
  listId: number,
  { description, path }: FoundCopy,
  wanted: Wanted,
): Promise<readonly FoundRule[]> {
  const { version, fetchedMs, unpackedBytes } = description;
  const found: FoundRule[] = [];
  let part: Uint8Array = new Uint8Array(0);
  let partLine = 1;
  const onRule = (rule: ScannedRule): void => {
    if (found.length >= maxFoundPerList || !isWanted(rule, wanted)) return;
    const about = aboutOf(rule);
    const { line, action, reach, isImportant } = rule;
    const text = lineText(part, line - partLine);
    found.push({ listId, version, fetchedMs, line, text, about, action, reach, isImportant });
  };
  const scanner = new RuleScanner({ onRule });
  try {
    await readParts(path, unpackedBytes, (next) => {
      if (wanted.isOver()) throw new DeadlineReached();
      part = next;
      scanner.feed(next);
      partLine += newlinesIn(next, 0, next.length);
    });
    scanner.finish();
  } catch (error) {
    if (!(error instanceof DeadlineReached)) throw error;
  }
  return found;
}

/** Most of a million rules can be skipped by comparing the length alone. */
function byLength(names: readonly Uint8Array[]): Map<number, readonly Uint8Array[]> {
  const map = new Map<number, readonly Uint8Array[]>();
  for (const name of names) map.set(name.length, [...(map.get(name.length) ?? []), name]);
  return map;
}

function isWanted(rule: ScannedRule, { names, ranges }: Wanted): boolean {
  if (rule.address !== undefined) return ranges.size > 0 && ranges.has(aboutOf(rule));
  const same = rule.nameLength === 0 ? undefined : names.get(rule.nameLength);
  return same !== undefined && same.some((name) => name.every((byte, at) => byte === rule.name[at]));
}

/** The name or the address range of a rule; a pattern has neither. */
export function aboutOf({ address, name, nameLength }: ScannedRule): string {
  return address === undefined
    ? nameToText(name.subarray(0, nameLength))
    : rangeText(address.bytes, address.prefixBits);
}
