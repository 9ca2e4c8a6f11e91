// The imports of a file. They are found in the code without strings and comments, so that a sample inside a
// string does not count, and read from the text. `new URL('./x.ts', import.meta.url)`, which names the entry
// of a thread, counts as well.

import { posix } from 'node:path';

import { behindDoor } from './doors.ts';

export type Import = {
  readonly specifier: string;
  readonly offset: number;
  /** The imported file relative to the root of the repository; undefined for packages. */
  readonly target: string | undefined;
  /** Named by address only, so not part of an import cycle. */
  readonly isAddress: boolean;
};

const QUOTED = String.raw`(?<quote>['"])(?<blank>[^'"]*)\k<quote>`;
const BINDINGS = [
  new RegExp(String.raw`\b(?:import|export)\b[^'"\x60;=()]*?\bfrom\s*${QUOTED}`, 'dg'),
  new RegExp(String.raw`\bimport\s*\(?\s*${QUOTED}`, 'dg'),
];
const ADDRESSES = [
  new RegExp(String.raw`\bnew URL\(\s*${QUOTED}\s*,\s*import\.meta\.url`, 'dg'),
  new RegExp(String.raw`\bimport\.meta\.resolve\(\s*${QUOTED}`, 'dg'),
];

export function importsOf(path: string, text: string, code: string): Import[] {
  return [...find(BINDINGS, false), ...find(ADDRESSES, true)].toSorted((a, b) => a.offset - b.offset);

  function find(patterns: readonly RegExp[], isAddress: boolean): Import[] {
    const matches = patterns.flatMap((pattern) => [...code.matchAll(pattern)]);
    return matches.map((match) => {
      const [offset, end] = match.indices?.groups?.['blank'] ?? [match.index, match.index];
      const specifier = text.slice(offset, end);
      return { specifier, offset, isAddress, target: targetOf(path, specifier) };
    });
  }
}

function targetOf(fromPath: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(fromPath), specifier);
  return specifier.startsWith('#') ? behindDoor(specifier) : undefined;
}
