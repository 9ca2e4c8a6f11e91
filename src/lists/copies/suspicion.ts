// When a list's change is too large to be believed. A list that suddenly lost a third of its entries, or
// doubled them, is more often an accident or a takeover than an edit: the policy in force stays, and a person
// is asked. Small lists change by large parts every day, and a first fetch has nothing to be compared with.

export interface ListSize {
  readonly id: number;
  readonly name: string;
  /** In the policy in force; nothing when the list is not part of it. */
  readonly before: number | undefined;
  readonly after: number;
}

export interface Suspicion {
  readonly listId: number;
  readonly before: number;
  readonly after: number;
  readonly text: string;
}

/** Lists of so many entries or fewer are never suspicious. */
const smallEntries = 1000;
const lostPercentMax = 30;
const growthMax = 2;

/** `accepted`: ids of lists whose change a person has accepted. */
export const suspicionsOf = (sizes: readonly ListSize[], accepted: readonly number[]): readonly Suspicion[] =>
  sizes.flatMap((size) => (accepted.includes(size.id) ? [] : (suspicionOf(size) ?? [])));

function suspicionOf({ id, name, before, after }: ListSize): Suspicion | undefined {
  if (before === undefined || before <= smallEntries) return undefined;
  const isLoss = (before - after) * 100 > before * lostPercentMax;
  if (!isLoss && after <= before * growthMax) return undefined;
  const what = isLoss ? `lost more than ${lostPercentMax} % of its entries` : 'more than doubled';
  const text =
    `The list ${id} (${name}) ${what}: ${before} before, ${after} now. ` +
    'What was in force of it stays. Look at the list; then accept the change (`sluice lists accept`) or ' +
    'go back to an earlier copy (`sluice lists copies`).';
  return { listId: id, before, after, text };
}
