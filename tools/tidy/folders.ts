// The folders inside a room import each other in one direction only, so that a room can be read from the
// bottom up. Files directly in the room are shared by its folders, or connect them. Tests are exempt.

import type { Rule } from './rule.ts';
import { folderOf, roomOf } from './rooms.ts';
import { isTest, lineAt, type Source } from './source.ts';

export const folderCycle: Rule = {
  name: 'folder-cycle',
  check(file, tree) {
    const arrows = arrowsOf(tree);
    return arrowsFrom(file)
      .filter(({ from, to }) => leadsTo(arrows, to, from))
      .map(({ from, to, offset }) => ({
        line: lineAt(file.text, offset),
        message: `${from} -> ${to}, and ${to} leads back: move the shared code to one of them`,
      }));
  },
};

type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

const known = new WeakMap<readonly Source[], Arrows>();

/** The imports between folders of each room. */
function arrowsOf(tree: readonly Source[]): Arrows {
  const found = known.get(tree);
  if (found !== undefined) return found;
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of tree.flatMap(arrowsFrom))
    arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
  known.set(tree, arrows);
  return arrows;
}

type Arrow = { readonly from: string; readonly to: string; readonly offset: number };

/** The imports of a file from other folders of its room. */
function arrowsFrom({ path, imports }: Source): readonly Arrow[] {
  const from = placeOf(path);
  if (from === undefined || isTest(path)) return [];
  return imports.flatMap(({ target = '', offset, isAddress }) => {
    const to = isAddress ? undefined : placeOf(target);
    const isSibling = to !== undefined && to !== from && roomOf(target) === roomOf(path);
    return isSibling ? [{ from, to, offset }] : [];
  });
}

function leadsTo(arrows: Arrows, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const place of reached) {
    if (place === to) return true;
    for (const next of arrows.get(place) ?? []) reached.add(next);
  }
  return false;
}

/** Room and folder; undefined for a file that is in no folder of a room. */
function placeOf(path: string): string | undefined {
  const folder = folderOf(path);
  return folder === undefined ? undefined : `${roomOf(path)}/${folder}`;
}
