// The lines of lists that are about certain names: what "why" shows beside a verdict. Snapshots keep no names
// and no lines, so the stored copy is read again, by the same scanner, off the path of queries.

import { RuleScanner, type RuleAction, type RuleReach, type ScannedRule } from '#policy';
import { nameToText } from '#wire';
import { ListCopies, type FoundCopy } from './list-copies.ts';
import { lineText, newlinesIn } from './line-text.ts';
import { readParts } from './text-parts.ts';

export interface FindRequest {
  readonly listsFolder: string;
  /** With the version that is in force, see BuildRecord; without it, or when it is gone, the current one. */
  readonly lists: readonly { readonly id: number; readonly version?: number | undefined }[];
  /** Names that rules may be about: lower-cased wire bytes with the root label. */
  readonly names: readonly Uint8Array[];
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

export async function findRules({ listsFolder, lists, names }: FindRequest): Promise<readonly FoundRule[]> {
  const copies = new ListCopies(listsFolder);
  const wanted = byLength(names);
  const found: FoundRule[] = [];
  for (const { id, version } of lists) {
    const copy = copies.findCurrent(id, version);
    if (copy !== undefined) found.push(...(await findIn(id, copy, wanted)));
  }
  return found;
}

async function findIn(
  listId: number,
  { description, path }: FoundCopy,
  wanted: ReadonlyMap<number, readonly Uint8Array[]>,
): Promise<readonly FoundRule[]> {
  const { version, fetchedMs, unpackedBytes } = description;
  const found: FoundRule[] = [];
  let part: Uint8Array = new Uint8Array(0);
  let partLine = 1;
  const onRule = (rule: ScannedRule): void => {
    if (found.length >= foundPerListMax || !isWanted(rule, wanted)) return;
    const about = nameToText(rule.name.subarray(0, rule.nameLength));
    const { line, action, reach, isImportant } = rule;
    const text = lineText(part, line - partLine);
    found.push({ listId, version, fetchedMs, line, text, about, action, reach, isImportant });
  };
  const scanner = new RuleScanner({ onRule });
  await readParts(path, unpackedBytes, (next) => {
    part = next;
    scanner.take(next);
    partLine += newlinesIn(next, 0, next.length);
  });
  scanner.finish();
  return found;
}

/** A million rules are passed by on their length alone, or nearly. */
function byLength(names: readonly Uint8Array[]): Map<number, readonly Uint8Array[]> {
  const map = new Map<number, readonly Uint8Array[]>();
  for (const name of names) map.set(name.length, [...(map.get(name.length) ?? []), name]);
  return map;
}

function isWanted(rule: ScannedRule, wanted: ReadonlyMap<number, readonly Uint8Array[]>): boolean {
  const same = rule.nameLength === 0 ? undefined : wanted.get(rule.nameLength);
  return same !== undefined && same.some((name) => name.every((byte, at) => byte === rule.name[at]));
}
