// A rule is a name and a function from one file (and the whole tree, for rules about several files) to
// findings. A finding says what is wrong and what to do; tools/tidy.ts adds the name of the rule and the
// path.

import { lineAt, type Source } from './source.ts';

export type Finding = { readonly line: number; readonly message: string };

export type Rule = {
  readonly name: string;
  readonly check: (file: Source, tree: readonly Source[]) => Finding[];
};

/** A finding for each match of `pattern` in `text`, which is the file's text, its code or its comments. */
export function findAll(text: string, pattern: RegExp, message: (match: string) => string): Finding[] {
  return [...text.matchAll(pattern)].map((match) => ({
    line: lineAt(text, match.index),
    message: message(match[0].trim()),
  }));
}
