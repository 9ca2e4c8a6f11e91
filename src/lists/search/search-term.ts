// Turns a search text into the bytes that a line must contain, and a test for the rules of such a line. For
// part of a name that is the text itself; for a whole name it is the name and all its parent domains, because
// their rules may include subdomains.

import { domainToASCII, domainToUnicode } from 'node:url';
import type { RuleReach } from '#policy';

export interface SearchTerm {
  /** In lower case; empty when the text is empty. */
  readonly needles: readonly Buffer[];
  /** Whether a needle at this position can be a hit. */
  readonly isCandidate: (block: Uint8Array, at: number, length: number) => boolean;
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
    isCandidate: () => true,
    isAbout: (about) => {
      const lower = about.toLowerCase();
      return parts.some((part) => lower.includes(part));
    },
  };
}

/** The search lower-cases ASCII only, so needles with other letters are searched in both cases. */
function needlesOf(texts: readonly string[]): readonly Buffer[] {
  const upperCased = (text: string): string =>
    text.replaceAll(/[^\u0000-\u007f]+/gu, (part) => part.toUpperCase());
  return [...new Set(texts.flatMap((text) => [text, upperCased(text)]))]
    .filter((text) => text !== '')
    .map((text) => Buffer.from(text));
}

/** Lists may write names as A-labels or in Unicode. */
function wholeName(name: string): SearchTerm {
  const labels = name.split('.');
  const names = name === '' ? [] : labels.map((_, at) => labels.slice(at).join('.'));
  const written = names.flatMap((one) => (one.includes('xn--') ? [one, domainToUnicode(one)] : [one]));
  return {
    needles: needlesOf(written),
    isCandidate: isWhole,
    isAbout: (about, reach, isPattern) => {
      if (isPattern) return false;
      if (about === name) return reach !== 'onlyBelow';
      return reach !== 'exact' && name.endsWith(`.${about}`);
    },
  };
}

/** Not part of a longer name; `*.x` and `.x` are notations for the subdomains of x. */
function isWhole(block: Uint8Array, at: number, length: number): boolean {
  const before = block[at - 1] ?? 0;
  const after = block[at + length] ?? 0;
  if (isLabelByte(before) || isLabelByte(after)) return false;
  if (before === dot && isLabelByte(block[at - 2] ?? 0)) return false;
  return after !== dot || !isLabelByte(block[at + length + 1] ?? 0);
}

/** Lower-case letters, digits, hyphens, underscores and all non-ASCII bytes. */
function isLabelByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x5f ||
    byte >= 0x80
  );
}
