// Whether a fetched text is a list at all. Servers answer with error pages, login forms and empty files, all
// of them with status 200; a list that loses its rules that way must keep its last good copy.

import { RuleScanner, type PatternCheck, type RuleReport } from '#policy';
import { readParts } from './text-parts.ts';

export type Examined =
  | { readonly kind: 'examined'; readonly report: RuleReport }
  | { readonly kind: 'failed'; readonly reason: string };

const nowhere = { onRule: (): void => undefined };

/** Reads and scans all of it: to be done in a thread of its own. */
export async function examineDraft(
  draftPath: string,
  unpackedBytes: number,
  checkPattern: PatternCheck,
): Promise<Examined> {
  try {
    const scanner = new RuleScanner(nowhere, { checkPattern });
    await readParts(draftPath, unpackedBytes, (part) => scanner.take(part));
    return { kind: 'examined', report: scanner.finish() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', reason: `The stored text cannot be read again: ${text}. Check the disk.` };
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
