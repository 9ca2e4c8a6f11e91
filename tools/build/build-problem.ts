// The message if the sources do not compile: the first error and its position in one line, for users who only
// want to start the program, then the full output of the compiler. Other errors are bugs of the build and
// keep their stack trace.

import { stripVTControlCharacters } from 'node:util';

/** Undefined if the error is not from the compiler. */
export function buildProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) return undefined;
  const [first]: unknown[] = error.errors;
  if (!(first instanceof Error)) return undefined;
  const [line = ''] = stripVTControlCharacters(first.message).split('\n');
  return `build: ${line.trim()}${positionOf(first)}\n\n${error.message}`;
}

function positionOf(error: Error): string {
  const loc: unknown = 'loc' in error ? error.loc : undefined;
  if (typeof loc !== 'object' || loc === null || !('line' in loc) || !('file' in loc)) return '';
  return ` (${String(loc.file)}:${String(loc.line)})`;
}
