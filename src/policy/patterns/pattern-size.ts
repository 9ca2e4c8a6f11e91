// How large the automaton of a regular expression will be, told from its text before anything is compiled:
// `(a{1000}){…}` and its relatives are short to write, and cost seconds and hundreds of megabytes in every
// dns worker. The count is that of signs once repetitions are written out; the engine makes about one or two
// instructions of each.

interface Level {
  /** Of what stands before the last part. */
  before: number;
  /** Of the last part, which a repetition is about. */
  last: number;
}

const REPETITION = /\{(\d+)(,?)(\d*)\}/y;
const CLASS = /\[\^?\]?(?:\[:[a-z^]*:\]|\\.|[^\]\\])*\]/y;
const GROUP_HEAD = /\((?:\?(?:[a-zA-Z-]*:|P?<[^>]*>))?/y;

/** Never too low by much; a text that does not compile has some size, too. */
export function patternSize(pattern: string): number {
  const levels: [Level, ...Level[]] = [{ before: 0, last: 0 }];
  for (let at = 0; at < pattern.length;) {
    const sign = pattern[at] ?? '';
    const part = partAt(sign, pattern, at);
    at += part.length;
    if (sign === '(') levels.push({ before: 0, last: 0 });
    else if (sign === ')') close(levels);
    else take(levels.at(-1) ?? levels[0], sign, part);
  }
  return levels.reduce((all, { before, last }) => all + before + last, 0);
}

function close(levels: [Level, ...Level[]]): void {
  const inner = levels.length > 1 ? levels.pop() : undefined;
  if (inner !== undefined) add(levels.at(-1) ?? levels[0], inner.before + inner.last + 2);
}

function take(level: Level, sign: string, part: string): void {
  if (sign === '{' && part.length > 1) level.last *= times(part);
  else if (/[*+?]/.test(sign)) level.last += 1;
  else add(level, 1);
}

function add(level: Level, size: number): void {
  level.before += level.last;
  level.last = size;
}

function partAt(sign: string, pattern: string, at: number): string {
  if (sign === '\\') return pattern.slice(at, at + 2);
  if (sign === '[') return match(CLASS, pattern, at) || sign;
  if (sign === '{') return match(REPETITION, pattern, at) || sign;
  return sign === '(' ? match(GROUP_HEAD, pattern, at) : sign;
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
