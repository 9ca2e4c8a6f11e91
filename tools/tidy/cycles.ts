// No import cycles between files, type imports included: two files that need each other are one idea split in
// two, or two ideas that share a third one without a name. The rule of Oxlint ignores type-only cycles.

import type { Rule } from './rule.ts';
import { lineAt, type Source } from './source.ts';

export const cycle: Rule = {
  name: 'cycle',
  check(file, tree) {
    const back = wayBack(file, new Map(tree.map((source) => [source.path, source])));
    // Only the first file of a cycle reports it.
    if (back === undefined || back.some((path) => path < file.path)) return [];
    const entry = file.imports.find(({ target }) => target === back[0]);
    const way = [file.path, ...back].join(' -> ');
    const message = `import cycle ${way}: move the shared code into a separate file`;
    return [{ line: lineAt(file.text, entry?.offset ?? 0), message }];
  },
};

/** The shortest import path from the file back to itself, without its start. */
function wayBack(file: Source, files: ReadonlyMap<string, Source>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [file.path];
  for (const path of queue) {
    for (const { target, isAddress } of files.get(path)?.imports ?? []) {
      if (target === undefined || isAddress || cameFrom.has(target)) continue;
      cameFrom.set(target, path);
      if (target === file.path) return unwind(cameFrom, target);
      queue.push(target);
    }
  }
  return undefined;
}

function unwind(cameFrom: ReadonlyMap<string, string>, end: string): string[] {
  const way = [end];
  for (let at = cameFrom.get(end); at !== undefined && at !== end; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
