// Whether a fetched text is a list at all. Servers answer with error pages, login forms and empty files, all
// of them with status 200; a list that loses its rules that way must keep its last good copy.

import { readFileSync } from 'node:fs';
import { scanRules, type PatternCheck, type RuleReport } from '#policy';
import { unpack } from './unpack.ts';

export type Examined =
  | { readonly kind: 'examined'; readonly report: RuleReport }
  | { readonly kind: 'failed'; readonly reason: string };

const nowhere = { onRule: (): void => undefined };

/** Reads and scans all of it: to be done in a thread of its own. */
export function examineDraft(draftPath: string, unpackedBytes: number, checkPattern: PatternCheck): Examined {
  try {
    const bytes = unpack(readFileSync(draftPath), unpackedBytes);
    if (bytes === undefined)
      return { kind: 'failed', reason: 'The stored text cannot be read again; check the disk.' };
    return { kind: 'examined', report: scanRules(bytes, nowhere, { checkPattern }) };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Why a text is no list; nothing when it is one. */
export function notAList({ looksLike, entries, lines, samples }: RuleReport): string | undefined {
  if (looksLike === 'html')
    return 'This is a page for browsers, not a list; look for the address of the text itself.';
  if (looksLike === 'binary')
    return 'This is no text: an archive or a program; look for the address of the text itself.';
  if (looksLike === 'empty') return 'The text is empty; check the address, or remove the list.';
  if (entries > 0) return undefined;
  const [first] = samples;
  const seen = first === undefined ? '' : ` Line ${first.line}: ${first.reason}.`;
  return `None of its ${lines} lines is a rule for DNS.${seen} Check the address, or remove the list.`;
}
