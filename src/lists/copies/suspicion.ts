// Detects changes of a list that are too large to be trusted. A list that suddenly loses a third of its
// entries, or doubles them, more often had an accident or was taken over than edited: its previous version
// stays in force until a person accepts the change. Small lists are exempt, because large relative changes
// are normal for them; so is the first fetch.

import { limits } from '#contract/limits';

export interface ListSize {
  readonly id: number;
  readonly name: string;
  /** Entries in the current snapshot; undefined when the list is not part of it. */
  readonly before: number | undefined;
  readonly after: number;
}

export interface Suspicion {
  readonly listId: number;
  readonly before: number;
  readonly after: number;
  readonly text: string;
}

/** Lists with up to this many entries are never suspicious. */
const smallEntries = 1000;

/** `accepted`: ids of lists whose change a person has accepted. */
export function suspicionsOf(sizes: readonly ListSize[], accepted: readonly number[]): readonly Suspicion[] {
  return sizes.flatMap((size) => (accepted.includes(size.id) ? [] : (suspicionOf(size) ?? [])));
}

function suspicionOf({ id, name, before, after }: ListSize): Suspicion | undefined {
  if (before === undefined || before <= smallEntries) return undefined;
  const isLoss = (before - after) * 100 > before * limits.listLostPercent;
  if (!isLoss && after <= before * limits.listGrowth) return undefined;
  const what = isLoss ? `lost more than ${limits.listLostPercent} % of its entries` : 'more than doubled';
  const text =
    `The list ${id} (${name}) ${what}: ${before} before, ${after} now. ` +
    'Its previous version stays in force. Look at the list; then accept the change (`sluice lists accept`) ' +
    'or go back to an earlier copy (`sluice lists copies`).';
  return { listId: id, before, after, text };
}
