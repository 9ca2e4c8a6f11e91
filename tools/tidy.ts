// Checks the house style and the imports between the rooms (part of `npm run check`). It reads all files that
// git does not ignore, tracked or not, so a new file is checked before it is added. The rules are in
// tools/tidy/, one idea per file.

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

import { RULES } from './tidy/registry.ts';
import { toSource, type FileText } from './tidy/source.ts';

export type Violation = {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
};

const MAX_FILE_BYTES = 2_000_000;

export function tidy(files: readonly FileText[]): Violation[] {
  const tree = files.map(toSource);
  return tree.flatMap((file) =>
    RULES.flatMap(({ name, check }) =>
      check(file, tree).map(({ line, message }) => ({ path: file.path, line, rule: name, message })),
    ),
  );
}

function readTree(): FileText[] {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { encoding: 'utf8' });
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '' && isReadable(path));
  return paths
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

/** False for deleted files that git still lists, links, and large data files. */
function isReadable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isFile() && found.size <= MAX_FILE_BYTES;
}

if (import.meta.main) {
  const files = readTree();
  const violations = tidy(files);
  for (const { path, line, rule, message } of violations) console.log(`${path}:${line} ${rule}: ${message}`);
  console.log(`tidy: ${files.length} files, ${RULES.length} rules, ${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
