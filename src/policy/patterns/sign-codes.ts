// Signs of names as numbers of six bits, so that three signs in a row are one number of 18 bits: what the
// prefilter looks at. Letters count alike in both cases, and signs that names hardly have are all one.

import { signCount } from './automaton.ts';

export const codeBits = 6;
export const Code = { beginning: 41, end: 42 } as const;
const otherCode = 40;
const signs = 'abcdefghijklmnopqrstuvwxyz0123456789-_.';

/** By sign; numbers are from 1 on. */
export const codeOf = Uint8Array.from({ length: signCount }, (_, sign) => {
  const at = signs.indexOf(String.fromCodePoint(sign).toLowerCase());
  return at < 0 ? otherCode : at + 1;
});

/** How often a sign stands at a place of a name, roughly, in thousandths: what a gram is worth. */
const shares = {
  frequent: { signs: 'aeiorstnc', share: 70 },
  common: { signs: 'dlmpuhg.', share: 40 },
  rare: { signs: 'bfkvwy-', share: 20 },
  rarest: { signs: 'jqxz0123456789_', share: 10 },
} as const;

const shareOf = Float64Array.from({ length: 1 << codeBits }, () => 0.04);
for (const { signs: ofShare, share } of Object.values(shares))
  for (const sign of ofShare) shareOf[codeOf[sign.codePointAt(0) ?? 0] ?? 0] = share / 1000;

/** What nearly every name has; `^` and `$` are its ends. */
const everywhere = 'www ^ww ww. .co com om$ .ne net et$ .or org rg$ ww co om ne et or rg .c m$ t$'.split(' ');

function codesIn(text: string): readonly number[] {
  return [...text].map((sign) =>
    sign === '^' ? Code.beginning : sign === '$' ? Code.end : (codeOf[sign.codePointAt(0) ?? 0] ?? 0),
  );
}

export function gramOf(codes: readonly number[]): number {
  return codes.reduce((gram, code) => (gram << codeBits) | code, 0);
}

const usual = new Set(everywhere.map((text) => gramOf(codesIn(text))));

/** How likely a name is to have it: the lower, the more names are known to differ without a further look. */
export function likelihoodOf(codes: readonly number[]): number {
  return usual.has(gramOf(codes)) ? 0.5 : codes.reduce((product, code) => product * (shareOf[code] ?? 1), 20);
}
