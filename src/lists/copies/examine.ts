// Checks that a fetched text is a list. Servers send error pages, login forms and empty files with status
// 200; none of them may replace the last good copy.

import { RuleScanner, type PatternCheck, type RuleReport } from '#policy';
import { readParts } from './text-parts.ts';
import { errorText } from '#platform/tasks';

export type Examined =
  | { readonly kind: 'examined'; readonly report: RuleReport }
  | { readonly kind: 'failed'; readonly reason: string };

const discardRules = { onRule: (): void => undefined };

/** Reads and scans the whole text: slow, so the compile thread runs it. */
export async function examineDraft(
  draftPath: string,
  unpackedBytes: number,
  checkPattern: PatternCheck,
): Promise<Examined> {
  try {
    const scanner = new RuleScanner(discardRules, { checkPattern });
    await readParts(draftPath, unpackedBytes, (part) => scanner.feed(part));
    return { kind: 'examined', report: scanner.finish() };
  } catch (error) {
    const text = errorText(error);
    return {
      kind: 'failed',
      reason: `The downloaded text cannot be read from disk: ${text}. Check the disk.`,
    };
  }
}

/** Why a text is not a list; undefined when it is one. */
export function notAList({ looksLike, entries, lines, samples }: RuleReport): string | undefined {
  if (looksLike === 'html')
    return 'This is a page for browsers, not a list; look for the address of the text file.';
  if (looksLike === 'binary')
    return 'This is an archive or a program, not a text; look for the address of the text file.';
  if (looksLike === 'empty') return 'The text is empty; check the address, or remove the list.';
  if (entries > 0) return undefined;
  const [first] = samples;
  const seen = first === undefined ? '' : ` Line ${first.line}: ${first.reason}.`;
  return `None of its ${lines} lines is a DNS rule.${seen} Check the address, or remove the list.`;
}
