// Characters of names as numbers of six bits, so that three consecutive ones are a number of 18 bits, which
// the prefilter looks up. Letters count alike in both cases, and characters that names hardly contain share
// one code.

import { charCount } from './automaton.ts';

export const codeBits = 6;
export const Code = { beginning: 41, end: 42 } as const;
const otherCode = 40;
const chars = 'abcdefghijklmnopqrstuvwxyz0123456789-_.';

/** By character; numbers begin at 1. */
export const codeOf = Uint8Array.from({ length: charCount }, (_, char) => {
  const at = chars.indexOf(String.fromCodePoint(char).toLowerCase());
  return at < 0 ? otherCode : at + 1;
});

/** Approximate frequency of a character at a place of a name, in thousandths. */
const shares = {
  frequent: { chars: 'aeiorstnc', share: 70 },
  common: { chars: 'dlmpuhg.', share: 40 },
  rare: { chars: 'bfkvwy-', share: 20 },
  rarest: { chars: 'jqxz0123456789_', share: 10 },
} as const;

const shareOf = Float64Array.from({ length: 1 << codeBits }, () => 0.04);
for (const { chars: ofShare, share } of Object.values(shares))
  for (const char of ofShare) shareOf[codeOf[char.codePointAt(0) ?? 0] ?? 0] = share / 1000;

/** Grams that nearly every name contains; `^` and `$` are its ends. */
const everywhere = 'www ^ww ww. .co com om$ .ne net et$ .or org rg$ ww co om ne et or rg .c m$ t$'.split(' ');

function codesIn(text: string): readonly number[] {
  return [...text].map((char) =>
    char === '^' ? Code.beginning : char === '$' ? Code.end : (codeOf[char.codePointAt(0) ?? 0] ?? 0),
  );
}

export function gramOf(codes: readonly number[]): number {
  return codes.reduce((gram, code) => (gram << codeBits) | code, 0);
}

const usual = new Set(everywhere.map((text) => gramOf(codesIn(text))));

/** How likely a name is to contain it: the lower, the more names are ruled out without a further check. */
export function likelihoodOf(codes: readonly number[]): number {
  return usual.has(gramOf(codes)) ? 0.5 : codes.reduce((product, code) => product * (shareOf[code] ?? 1), 20);
}
