// Numbers of DNS as their common names, and back. Numbers without a name are written as in RFC 3597 section
// 5: TYPE65280, CLASS32.

import { Class, Rcode, Type } from '../codes.ts';

const TYPE_TEXTS: ReadonlyMap<number, string> = new Map(
  Object.entries(Type).map(([text, code]) => [code, text]),
);
const TYPES: ReadonlyMap<string, number> = new Map(Object.entries(Type));
const CLASS_TEXTS: ReadonlyMap<number, string> = new Map(
  Object.entries(Class).map(([text, code]) => [code, text]),
);
/** "nxDomain" becomes the usual NXDOMAIN. */
const RCODE_TEXTS: ReadonlyMap<number, string> = new Map(
  Object.entries(Rcode).map(([text, code]) => [code, text.toUpperCase()]),
);
const MAX_CODE = 0xffff;

export function typeText(type: number): string {
  return TYPE_TEXTS.get(type) ?? `TYPE${type}`;
}

/** In any case; undefined when the text is not a type. */
export function typeFromText(text: string): number | undefined {
  const upper = text.toUpperCase();
  const code = TYPES.get(upper) ?? Number(/^TYPE(\d{1,5})$/.exec(upper)?.[1] ?? MAX_CODE + 1);
  return code > MAX_CODE ? undefined : code;
}

export function classText(code: number): string {
  return CLASS_TEXTS.get(code) ?? `CLASS${code}`;
}

export function rcodeText(rcode: number): string {
  return RCODE_TEXTS.get(rcode) ?? `RCODE${rcode}`;
}
