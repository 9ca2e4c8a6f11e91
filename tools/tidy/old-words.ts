// Words that this project no longer uses, because a reader has to guess what they stand for: parables about
// people ("whoever asks", "nobody is told") in place of the component, the caller, the event. The whole text
// counts: comments, messages, test titles, documents. CONTRIBUTING.md has the words to use instead.

import { findAll, type Rule } from './rule.ts';

const OLD_WORDS = new RegExp(
  [
    String.raw`\b[Ww]ho(?:m)?ever\b`,
    String.raw`\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b`,
    String.raw`\b[Tt]hose who\b`,
    String.raw`\b[Ll]ets? us\b`,
    String.raw`\b(?:can|cannot|could) be had\b`,
    // Said, reported, sent, published, known: also as a part of a name.
    String.raw`\b\w*[Tt]old\b|\b[Tt]old[A-Z]\w*|\b[Tt]eller\w*`,
    // Successor, predecessor, what is handed over.
    String.raw`\b[Hh]eirs?\b|\b[Ee]state\b|\b[Bb]equeath\w*`,
    // Health check or maintenance.
    String.raw`\bcareFor\w*|\b\w*Care(?:Thread|Options|Parts|Result)?\b(?<=[a-z]Care\w*)`,
  ].join('|'),
  'gu',
);

/** This rule and its tests have to name the words; the style guide shows examples. */
const ABOUT_WORDS = new Set(['tools/tidy/old-words.ts', 'tools/tidy.test.ts', 'CONTRIBUTING.md']);

export const oldWords: Rule = {
  name: 'old-words',
  check({ path, text }) {
    if (!/\.(?:ts|md|sh|service)$/u.test(path) || ABOUT_WORDS.has(path)) return [];
    return findAll(
      withoutTheUser(text),
      OLD_WORDS,
      (match) => `"${match}": name the component, caller or event (CONTRIBUTING.md, Words)`,
    );
  },
};

/** `nobody` in code style is the Unix user. */
function withoutTheUser(text: string): string {
  return text.replaceAll('`nobody`', '`······`');
}
