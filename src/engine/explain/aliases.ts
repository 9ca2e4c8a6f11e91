// Local aliases, followed without an answer being written: from the name that is asked for to where they end.

import { nameToText } from '#wire';
import type { LocalName } from '../local/local-name.ts';
import type { NameTree } from '../local/name-tree.ts';

export interface Alias {
  readonly target: Uint8Array;
  readonly ttlSeconds: number;
}

/** As many as local-answers.ts follows. */
const maxAliases = 8;

export function aliasesFrom(
  local: NameTree<LocalName>,
  name: Uint8Array,
  first: Uint8Array | undefined,
  ttlSeconds: number,
): readonly Alias[] {
  if (first === undefined || isSame(first, name)) return [];
  const aliases: Alias[] = [{ target: first, ttlSeconds }];
  let known = local.find(first, first.length);
  while (aliases.length < maxAliases && known?.kind === 'records' && known.target !== undefined) {
    aliases.push({ target: known.target, ttlSeconds: known.ttlSeconds });
    known = local.find(known.target, known.target.length);
  }
  return aliases;
}

/** As in a zone file. */
export function aliasRecords(name: Uint8Array, aliases: readonly Alias[]): readonly string[] {
  return aliases.map(({ target, ttlSeconds }, at) => {
    const owner = nameToText(aliases[at - 1]?.target ?? name);
    return `${owner} ${ttlSeconds} IN CNAME ${nameToText(target)}`;
  });
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
