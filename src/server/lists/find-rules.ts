// The lines of lists that are about certain names: what "why" shows beside a verdict. Snapshots keep no names
// and no lines, so the stored copy is read again, by the same scanner, off the path of queries.

import { scanRules, type RuleAction, type RuleReach, type ScannedRule } from '#policy';
import { nameToText } from '#wire';
import { ListCopies, type ListCopy } from './list-copies.ts';
import { lineText } from './line-text.ts';

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
  /** The line as it is written, cut to a bounded length. */
  readonly text: string;
  readonly about: string;
  readonly action: RuleAction;
  readonly reach: RuleReach;
  readonly isImportant: boolean;
}

/** More lines about a few names are no explanation. */
const foundPerListMax = 50;

export function findRules({ listsFolder, lists, names }: FindRequest): readonly FoundRule[] {
  const copies = new ListCopies(listsFolder);
  const wanted = byLength(names);
  return lists.flatMap(({ id, version }) => findIn(id, copies.readCurrent(id, version), wanted));
}

function findIn(
  listId: number,
  copy: ListCopy | undefined,
  wanted: ReadonlyMap<number, readonly Uint8Array[]>,
): FoundRule[] {
  if (copy === undefined) return [];
  const { version, fetchedMs } = copy.description;
  const found: Omit<FoundRule, 'text'>[] = [];
  const onRule = (rule: ScannedRule): void => {
    if (found.length >= foundPerListMax || !isWanted(rule, wanted)) return;
    const about = nameToText(rule.name.subarray(0, rule.nameLength));
    const { line, action, reach, isImportant } = rule;
    found.push({ listId, version, fetchedMs, line, about, action, reach, isImportant });
  };
  scanRules(copy.bytes, { onRule });
  const texts = lineText(
    copy.bytes,
    found.map(({ line }) => line),
  );
  return found.map((rule) => ({ ...rule, text: texts.get(rule.line) ?? '' }));
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
