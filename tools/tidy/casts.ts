// A cast overrides the type checker, so it needs a comment that says why it is correct, on the same line or
// the line before. For an operand that spans several lines, its first line counts as well. `as const`
// overrides nothing; renames in imports and exports and remapped keys (`[K in T as …]`) only look like casts.

import type { Rule } from './rule.ts';
import { isCode, isOurs, lineAt, type Source } from './source.ts';

const RENAMES = /\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*\s*as\s+[\w$]+)/g;
const REMAPPED_KEY = /\[\s*[\w$]+\s+in\s+[^\]]*$/;
/** `as` after the end of an expression and before the start of a type; so no `.as(…)` and no name `as`. */
const CAST = /(?<=[\w$)\]}'"`]\s+)as\s+(?!const\b)(?=[\w$({['"`|])/g;
const OPENERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

export const castComment: Rule = {
  name: 'cast-comment',
  check(file) {
    if (!isOurs(file.path) || !isCode(file.path)) return [];
    const code = file.code.replaceAll(RENAMES, (match) => match.replaceAll(/[^\n]/g, ' '));
    const explained = explainedLines(file);
    return [...code.matchAll(CAST)]
      .filter((match) => !REMAPPED_KEY.test(code.slice(Math.max(0, match.index - 200), match.index)))
      .map((match) => [lineAt(code, match.index), lineAt(code, operandStart(code, match.index))] as const)
      .filter((lines) => !lines.some((line) => explained.has(line)))
      .map(([line]) => ({ line, message: 'a cast without a reason: say in a comment why it is correct' }));
  },
};

/** Lines with a comment on them or directly above; linter directives do not count. */
function explainedLines({ text, comments }: Source): Set<number> {
  const reasons = comments.filter((span) => !/(?:ox|es)lint-|@ts-/.test(text.slice(span.start, span.end)));
  return new Set(reasons.flatMap(({ end }) => [lineAt(text, end), lineAt(text, end) + 1]));
}

/** The position of the bracket that opens the operand; without a bracket, the cast itself. */
function operandStart(code: string, castAt: number): number {
  const end = code.slice(0, castAt).trimEnd().length - 1;
  const closer = code[end] ?? '';
  const opener = OPENERS[closer];
  if (opener === undefined) return castAt;
  let depth = 0;
  for (let at = end; at >= 0; at -= 1) {
    if (code[at] === closer) depth += 1;
    if (code[at] === opener) depth -= 1;
    if (depth === 0) return at;
  }
  return castAt;
}
