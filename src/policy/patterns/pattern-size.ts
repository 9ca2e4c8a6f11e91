// Estimates the size of a regular expression's automaton from its text, before anything is compiled:
// `(a{1000}){…}` and similar ones are short to write, and cost seconds and hundreds of megabytes in every dns
// worker. The size is the number of characters with repetitions expanded; the engine creates one or two
// instructions for each. Classes of characters that take longer to build count as several, see
// class-weight.ts, so that expressions of the same size are built with about the same work.

import { classWeight } from './class-weight.ts';

interface Level {
  /** Size of everything before the last part. */
  before: number;
  /** Size of the last part, to which a repetition applies. */
  last: number;
}

const ESCAPE = /\\(?:Q[^]*?(?:\\E|$)|[pP](?:\{[^}]*\}|[^])|x\{[^}]*\}|[^]|$)/y;
const QUOTE = /^\\Q|\\E$/g;
const REPETITION = /\{(\d+)(,?)(\d*)\}/y;
const CLASS = /\[\^?\]?(?:\[:[a-z^]*:\]|\\.|[^\]\\])*\]/y;
const GROUP_HEAD = /\((?:\?(?:[a-zA-Z-]*:|P?<[^>]*>))?/y;

/** Never much too low; a text that does not compile also has a size. */
export function patternSize(pattern: string): number {
  const levels: [Level, ...Level[]] = [{ before: 0, last: 0 }];
  let once = 0;
  let isClosed = true;
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at] ?? '';
    const part = partAt(isClosed || char !== '[' ? char : '', pattern, at);
    at += part.length;
    // After a class that is not closed there is none that is; so the end is searched for only once.
    if (part === '[') isClosed = false;
    if (char === '(') levels.push({ before: 0, last: 0 });
    else if (char === ')') close(levels);
    else once += take(levels.at(-1) ?? levels[0], char, part);
  }
  return levels.reduce((all, { before, last }) => all + before + last, once);
}

function close(levels: [Level, ...Level[]]): void {
  const inner = levels.length > 1 ? levels.pop() : undefined;
  if (inner !== undefined) add(levels.at(-1) ?? levels[0], inner.before + inner.last + 2);
}

/** Returns what is not repeated: the weight of classes as they are written. */
function take(level: Level, char: string, part: string): number {
  if (char === '{' && part.length > 1) level.last *= times(part);
  else if (/[*+?]/.test(char)) level.last += 1;
  else if (part.startsWith('\\Q')) countQuote(level, part.replaceAll(QUOTE, '').length);
  else {
    const { once, each } = classWeight(part);
    add(level, each);
    return once;
  }
  return 0;
}

/** A repetition applies to the last character of a quoted text. */
function countQuote(level: Level, length: number): void {
  if (length === 0) return;
  level.before += length - 1;
  add(level, 1);
}

function add(level: Level, size: number): void {
  level.before += level.last;
  level.last = size;
}

function partAt(char: string, pattern: string, at: number): string {
  if (char === '\\') return match(ESCAPE, pattern, at);
  if (char === '[') return match(CLASS, pattern, at) || char;
  if (char === '{') return match(REPETITION, pattern, at) || char;
  return char === '(' ? match(GROUP_HEAD, pattern, at) : pattern.slice(at, at + 1);
}

function times(repetition: string): number {
  const [from = 0, to = 0] = repetition.match(/\d+/g)?.map(Number) ?? [];
  const least = repetition.includes(',') && to === 0 ? from + 1 : from;
  return Math.max(1, least, to);
}

function match(shape: RegExp, text: string, at: number): string {
  shape.lastIndex = at;
  return shape.exec(text)?.[0] ?? '';
}
