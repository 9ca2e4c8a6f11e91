// The lines of lists that are about certain names: what "why" shows beside a verdict. Snapshots keep no names
// and no lines, so the stored copy is read again, by the same scanner, off the path of queries.

import { rangeText, RuleScanner, type RuleAction, type RuleReach, type ScannedRule } from '#policy';
import { nameToText } from '#wire';
import { ListCopies, type FoundCopy } from '../copies/list-copies.ts';
import { lineText, newlinesIn } from './line-text.ts';
import { versionsInForce } from '../snapshot/snapshot-file.ts';
import { readParts } from '../copies/text-parts.ts';

export interface FindRequest {
  readonly listsFolder: string;
  /** With the version that is in force, see BuildRecord; without it, or when it is gone, the current one. */
  readonly lists: readonly { readonly id: number; readonly version?: number | undefined }[];
  /** Where the build record lies, for lists without a version. */
  readonly snapshotPath?: string | undefined;
  /** Names that rules may be about: lower-cased wire bytes with the root label. */
  readonly names: readonly Uint8Array[];
  /** Ranges of addresses, as 192.0.2.0/24. */
  readonly ranges?: readonly string[];
  /** When the time is over, by the clock that is handed in: what was found until then is told. */
  readonly untilMs?: number;
}

export interface FoundRule {
  readonly listId: number;
  /** Of the copy. */
  readonly version: number;
  readonly fetchedMs: number;
  /** From 1 on. */
  readonly line: number;
  /** The line as it is written, cut to a bounded length; '' for a line of unbound that ends far below. */
  readonly text: string;
  readonly about: string;
  readonly action: RuleAction;
  readonly reach: RuleReach;
  readonly isImportant: boolean;
}

/** More lines about a few names are no explanation. */
const foundPerListMax = 50;

interface Wanted {
  readonly names: ReadonlyMap<number, readonly Uint8Array[]>;
  readonly ranges: ReadonlySet<string>;
  readonly isOver: () => boolean;
}

class TimeIsOver extends Error {}

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
    if (found.length >= foundPerListMax || !isWanted(rule, wanted)) return;
    const about = aboutOf(rule);
    const { line, action, reach, isImportant } = rule;
    const text = lineText(part, line - partLine);
    found.push({ listId, version, fetchedMs, line, text, about, action, reach, isImportant });
  };
  const scanner = new RuleScanner({ onRule });
  try {
    await readParts(path, unpackedBytes, (next) => {
      if (wanted.isOver()) throw new TimeIsOver();
      part = next;
      scanner.take(next);
      partLine += newlinesIn(next, 0, next.length);
    });
    scanner.finish();
  } catch (error) {
    if (!(error instanceof TimeIsOver)) throw error;
  }
  return found;
}

/** A million rules are passed by on their length alone, or nearly. */
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

/** The name, or the range of addresses; patterns have neither. */
export const aboutOf = ({ address, name, nameLength }: ScannedRule): string =>
  address === undefined
    ? nameToText(name.subarray(0, nameLength))
    : rangeText(address.bytes, address.prefixBits);
