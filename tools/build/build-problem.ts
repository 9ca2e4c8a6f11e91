// What a person reads when the sources do not compile: the first error in one line, with its place, for those
// who only wanted to start the program; then everything that the compiler says. Other errors are bugs of the
// build, whose stack is worth reading.

import { stripVTControlCharacters } from 'node:util';

/** Nothing when it is no error of the compiler. */
export function buildProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) return undefined;
  const [first]: unknown[] = error.errors;
  if (!(first instanceof Error)) return undefined;
  const [line = ''] = stripVTControlCharacters(first.message).split('\n');
  return `build: ${line.trim()}${placeOf(first)}\n\n${error.message}`;
}

function placeOf(error: Error): string {
  const loc: unknown = 'loc' in error ? error.loc : undefined;
  if (typeof loc !== 'object' || loc === null || !('line' in loc) || !('file' in loc)) return '';
  return ` (${String(loc.file)}:${String(loc.line)})`;
}
