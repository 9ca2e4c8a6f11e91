// Parses JSON more strictly than JSON.parse: only valid UTF-8, limits on nesting and elements, no duplicate
// keys in an object (parsers disagree about which one counts), and no text with a NUL or half a surrogate
// pair, which could not be stored unchanged. A problem is returned as a sentence for the hint.

import { limits } from '#contract';

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { ok: false, problem: 'The body is not valid UTF-8.' };
  }
  const problem = structureProblem(text);
  if (problem !== undefined) return { ok: false, problem };
  try {
    const value: unknown = JSON.parse(text);
    const badText = textProblem(value);
    return badText === undefined ? { ok: true, value } : { ok: false, problem: badText };
  } catch (error) {
    return {
      ok: false,
      problem: `The body is not valid JSON: ${error instanceof Error ? error.message : ''}`,
    };
  }
}

/**
 * Walks the text once, before it is parsed: strings are skipped, brackets counted, keys remembered. Text that
 * is not JSON may pass here; JSON.parse refuses it afterwards.
 */
function structureProblem(text: string): string | undefined {
  const open: Open[] = [];
  let elements = 0;
  let lastString = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      lastString = text.slice(at, end + 1);
      at = end;
      continue;
    }
    if (code === comma || code === openBrace || code === openBracket) elements++;
    if (elements > limits.jsonElements) return `The body has more than ${limits.jsonElements} elements.`;
    const problem = trackNesting(code, open, lastString);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The keys of an open object so far; undefined for an open array. */
type Open = Set<string> | undefined;

function trackNesting(code: number, open: Open[], lastString: string): string | undefined {
  if (code === openBrace || code === openBracket) {
    open.push(code === openBrace ? new Set() : undefined);
    const isTooDeep = open.length > limits.jsonDepth;
    return isTooDeep ? `The body is nested deeper than ${limits.jsonDepth} levels.` : undefined;
  }
  if (code === closeBrace || code === closeBracket) open.pop();
  return code === colon ? addKey(open.at(-1), lastString) : undefined;
}

function addKey(keys: Open, literal: string): string | undefined {
  const key = keyOf(literal);
  if (keys?.has(key) === true) return `The key ${literal.slice(0, 100)} stands twice in one object.`;
  keys?.add(key);
  return undefined;
}

const [quote, comma, colon, openBrace, closeBrace, openBracket, closeBracket, backslash] = [
  34, 44, 58, 123, 125, 91, 93, 92,
];

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}

/** Two spellings of one key ("a" and "\u0061") are one key. */
function keyOf(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function textProblem(value: unknown): string | undefined {
  if (typeof value === 'string')
    return isStorableText(value) ? undefined : 'A text has a NUL or half a surrogate pair.';
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return firstProblem(value);
  for (const [key, item] of Object.entries(value)) {
    const problem = textProblem(key) ?? textProblem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function firstProblem(items: readonly unknown[]): string | undefined {
  for (const item of items) {
    const problem = textProblem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
