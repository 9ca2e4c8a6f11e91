// Every file begins with a paragraph that says what the file is and why it is built this way. This rule can
// only check that there is one.

import type { Rule } from './rule.ts';
import { isCode, isOurs, isTest, type Source } from './source.ts';

const MIN_CHARACTERS = 60;

export const headComment: Rule = {
  name: 'head-comment',
  check(file) {
    if (!isOurs(file.path) || !isCode(file.path) || isTest(file.path)) return [];
    const length = headOf(file).length;
    if (length >= MIN_CHARACTERS) return [];
    const found = length === 0 ? 'no comment' : `a comment of ${length} characters`;
    return [
      { line: 1, message: `${found} at the head: say there what the file is and why it is built this way` },
    ];
  },
};

/** The text of the comments before the first code, without comment markers. */
function headOf({ text, comments }: Source): string {
  let end = /^#!.*\n/.exec(text)?.[0].length ?? 0;
  const head: string[] = [];
  for (const comment of comments) {
    if (text.slice(end, comment.start).trim() !== '') break;
    head.push(text.slice(comment.start, comment.end));
    end = comment.end;
  }
  return head
    .join(' ')
    .replaceAll(/[/*\s]+/g, ' ')
    .trim();
}
