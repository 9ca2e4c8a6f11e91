// The door of search: the types of rules found in the texts of lists.

export type { FoundRule } from './find-rules.ts';
export type { RegexRule } from './match-regexes.ts';
export type { SearchHit } from './search-copies.ts';
