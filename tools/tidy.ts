// Checks the house style and the arrows between the rooms (`npm run check` runs it). It reads what git would
// commit, tracked or not, so a new file is checked before it is added and what is ignored never is. The rules
// stand in tools/tidy/, one idea per file; here they are only run.

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

/** Not a file that git still lists but that was deleted, nor a link, nor a data file. */
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
