// What is searched for in the texts of lists: the bytes that a line must have, and whether a rule of such a
// line is meant. For part of a name that is the text itself; for a name it is the name and every name above
// it, each as a whole, since rules of those may reach below.

import { domainToASCII, domainToUnicode } from 'node:url';
import type { RuleReach } from '#policy';

export interface SearchTerm {
  /** In lower case; none when there is nothing to look for. */
  readonly needles: readonly Buffer[];
  /** Whether the needle that was found there may be one. */
  readonly mayBeAt: (block: Uint8Array, at: number, length: number) => boolean;
  readonly isAbout: (about: string, reach: RuleReach, isPattern: boolean) => boolean;
}

const dot = 0x2e;

export function searchTerm(text: string, isExact: boolean): SearchTerm {
  const lower = text.trim().toLowerCase();
  const names = [...new Set([lower, domainToASCII(lower)])].filter((name) => name !== '');
  return isExact ? wholeName(names.at(-1) ?? '') : partOfName(names);
}

function partOfName(parts: readonly string[]): SearchTerm {
  return {
    needles: needlesOf([...parts, ...parts.map(domainToUnicode)]),
    mayBeAt: () => true,
    isAbout: (about) => {
      const lower = about.toLowerCase();
      return parts.some((part) => lower.includes(part));
    },
  };
}

/** Texts are looked for with ASCII in lower case; other letters may be written in capitals. */
function needlesOf(texts: readonly string[]): readonly Buffer[] {
  const capitals = (text: string): string =>
    text.replaceAll(/[^\u0000-\u007f]+/gu, (part) => part.toUpperCase());
  return [...new Set(texts.flatMap((text) => [text, capitals(text)]))]
    .filter((text) => text !== '')
    .map((text) => Buffer.from(text));
}

/** Names as lists may write them, in A-labels or in their own script. */
function wholeName(name: string): SearchTerm {
  const labels = name.split('.');
  const names = name === '' ? [] : labels.map((_, at) => labels.slice(at).join('.'));
  const written = names.flatMap((one) => (one.includes('xn--') ? [one, domainToUnicode(one)] : [one]));
  return {
    needles: needlesOf(written),
    mayBeAt: isWhole,
    isAbout: (about, reach, isPattern) => {
      if (isPattern) return false;
      if (about === name) return reach !== 'onlyBelow';
      return reach !== 'exact' && name.endsWith(`.${about}`);
    },
  };
}

/** Not part of a longer name; `*.x` and `.x` are ways to write what is below x. */
function isWhole(block: Uint8Array, at: number, length: number): boolean {
  const before = block[at - 1] ?? 0;
  const after = block[at + length] ?? 0;
  if (isLabelByte(before) || isLabelByte(after)) return false;
  if (before === dot && isLabelByte(block[at - 2] ?? 0)) return false;
  return after !== dot || !isLabelByte(block[at + length + 1] ?? 0);
}

/** Letters (in lower case), digits, hyphens, underscores, and whatever is not ASCII. */
const isLabelByte = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x5f ||
  byte >= 0x80;
