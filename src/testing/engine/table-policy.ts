// A policy that is a table of names and addresses. Rows are added while it is in use, and each row makes a
// new version of it, as a change of lists does.

import {
  type AnswerForm,
  pass,
  PatternBudget,
  type Policy,
  type PolicyClient,
  type Verdict,
  type VerdictKind,
} from '#policy';
import { ipBytes, nameFromText, nameToText } from '#wire';

interface Row {
  readonly verdict: Verdict;
  /** -1: for all groups. */
  readonly group: number;
}

export class TablePolicy implements Policy {
  version = 1;
  readonly budget = new PatternBudget();
  readonly #names = new Map<string, Row>();
  readonly #addresses = new Map<string, Row>();
  readonly #groups = new Map<string, number>();
  #rules = 0;

  /** `NAME [list] [important] [as FORM] [text WORDS] [group N]`; `*.x` is all that is below x. */
  addName(kind: VerdictKind, name: string, words: readonly string[]): void {
    this.#names.set(name.toLowerCase(), this.#row(kind, words));
  }

  addAddress(kind: VerdictKind, address: string, words: readonly string[]): void {
    this.#addresses.set(String(ipBytes(address)), this.#row(kind, words));
  }

  remove(name: string): void {
    this.#names.delete(name.toLowerCase());
    this.version++;
  }

  setGroup(address: string, group: number): void {
    this.#groups.set(mappedText(ipBytes(address)), group);
    this.version++;
  }

  groupsOf({ address }: PolicyClient): number {
    return this.#groups.get(String(address)) ?? 0;
  }

  decide(name: Uint8Array, nameLength: number, _type: number, groups: number): Verdict {
    const text = nameToText(name.slice(0, nameLength));
    const labels = text.split('.');
    const found = labels
      .map((_, at) => this.#names.get(`*.${labels.slice(at + 1).join('.')}`))
      .find((row) => row !== undefined && speaksTo(row, groups));
    const exact = this.#names.get(text);
    return (exact !== undefined && speaksTo(exact, groups) ? exact : found)?.verdict ?? pass;
  }

  decideAddress(bytes: Uint8Array, at: number, length: number, groups: number): Verdict {
    const row = this.#addresses.get(String(bytes.slice(at, at + length)));
    return row !== undefined && speaksTo(row, groups) ? row.verdict : pass;
  }

  #row(kind: VerdictKind, words: readonly string[]): Row {
    this.version++;
    const form = after(words, 'as') === undefined ? undefined : formOf(words.slice(words.indexOf('as') + 1));
    const text = after(words, 'text') ?? '';
    const ruleId = ++this.#rules;
    const rank = rankOf(kind, words);
    return {
      verdict: { kind, reason: 'exact', rank, ruleId, listId: 0, form, text },
      group: Number(after(words, 'group') ?? -1),
    };
  }
}

const speaksTo = ({ group }: Row, groups: number): boolean => group < 0 || group === groups;

/** Rows of the table of precedence as in rule-layer.ts; rules are the user's own unless it is said. */
const rankOf = (kind: VerdictKind, words: readonly string[]): number =>
  (words.includes('list') ? 4 : 0) + (words.includes('important') ? 0 : 2) + (kind === 'allow' ? 0 : 1);

const after = (words: readonly string[], key: string): string | undefined =>
  words.includes(key) ? words[words.indexOf(key) + 1] : undefined;

const mappedText = (bytes: Uint8Array | undefined): string =>
  String(bytes?.length === 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes] : bytes);

const plainForms = ['null', 'nx', 'nodata', 'refused', 'ip', 'ipNodataAaaa', 'drop'] as const;

function formOf([kind = '', argument = '']: readonly string[]): AnswerForm {
  const plain = plainForms.find((form) => form === kind);
  if (plain !== undefined) return { kind: plain };
  const target = nameFromText(argument);
  if (kind === 'cname' && target !== undefined) return { kind, target };
  if (kind !== 'addresses') throw new Error(`"${kind}" is no form of an answer`);
  const all = argument.split(',').map((text) => ipBytes(text) ?? new Uint8Array(0));
  const ofLength = (length: number): Uint8Array[] => all.filter((bytes) => bytes.length === length);
  return { kind, ipv4: ofLength(4), ipv6: ofLength(16) };
}
