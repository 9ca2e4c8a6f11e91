// The imports of one file, found in its blanked code (so a sample inside a string is none) and read from its
// text. `new URL('./x.ts', import.meta.url)` counts as well: that is how a thread names its entry, and a path
// is a path.

import { posix } from 'node:path';

import { behindDoor } from './doors.ts';

export type Import = {
  readonly specifier: string;
  readonly offset: number;
  /** From the repository's root, what a relative import or a room's door names; undefined for packages. */
  readonly target: string | undefined;
  /** Loaded by address, not bound to names: no part of an import cycle. */
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
