// Regular expressions of users were often written for another engine (POSIX extended syntax with extras). Two
// of its extras can be expressed in the linear-time engine: comments and word boundaries. One, approximate
// matching, would silently mean something else, so it is refused.

export type LinearSyntax =
  | {
      readonly isFine: true;
      readonly pattern: string;
      /** For each character of `pattern`, its position in the text. */
      readonly origins: readonly number[];
    }
  | { readonly isFine: false; readonly hint: string; readonly position: number };

const COMMENT = /\(\?#[^)]*\)/y;
const WORD_EDGE = /\\[<>]/y;
const ESCAPE = /\\./y;
const CLASS = /\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|\\.|[^\]\\])*\]/y;
const APPROXIMATE = /\{[\d,]*[~#+]/y;

export function toLinearSyntax(text: string): LinearSyntax {
  let pattern = '';
  const origins: number[] = [];
  let at = 0;
  while (at < text.length) {
    const approximate = partAt(APPROXIMATE, text, at);
    if (approximate !== '') {
      return { isFine: false, hint: `Approximate matching is not supported: ${approximate}`, position: at };
    }
    const comment = partAt(COMMENT, text, at);
    const edge = partAt(WORD_EDGE, text, at);
    const kept = partAt(ESCAPE, text, at) || classAt(text, at) || text.slice(at, at + 1);
    const part = edge === '' ? kept : '\\b';
    if (comment === '') {
      pattern += part;
      for (let index = 0; index < part.length; index += 1) origins.push(at + index);
    }
    at += (comment || kept).length;
  }
  return { isFine: true, pattern, origins };
}

/**
 * Called only when a closing bracket follows, so that the search for the end is done once, not for each
 * bracket.
 */
function classAt(text: string, at: number): string {
  return text[at] === '[' && text.includes(']', at) ? partAt(CLASS, text, at) : '';
}

function partAt(shape: RegExp, text: string, at: number): string {
  shape.lastIndex = at;
  return shape.exec(text)?.[0] ?? '';
}
