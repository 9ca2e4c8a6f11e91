// Queries of clients over time: a few clients get their own number in each slot, the others are added up.
// This is done on the history thread, because ten thousand clients per slot are too many to send or to show.
// Hidden clients are always among the others.

import type { Statistics } from '../segments/statistics.ts';
import type { ClientSlotsQuestion, Scope, ClientResult, ClientSlotsResult } from './questions.ts';

/** Limit for one answer, however many clients and slots there are. */
const maxNumbers = 200_000;

type Slots = Omit<ClientSlotsResult, 'truncated'>;

/** Looks up clients by number. */
interface Clients {
  clientOf(id: number): { readonly ip: string; readonly name: string };
  hiddenClients(): ReadonlySet<number>;
}

export function clientSlotsOf(
  statistics: Statistics,
  { most, slots: shownSlots = 0, isRankedOverall }: Omit<ClientSlotsQuestion, keyof Scope>,
  known: Clients,
): Slots {
  const all = statistics.topClients('all', Infinity);
  const hidden = known.hiddenClients();
  const ranked = all.filter(({ id }) => !hidden.has(id));
  const bySlot = statistics.clientSlots();
  const room = roomFor(ranked.length, Math.max(bySlot.length, shownSlots), most);
  const named = isRankedOverall
    ? ranked.slice(0, room)
    : busiestAnywhere(ranked, bySlot, (counts) => busiest(counts, room, hidden));
  const places = new Map(named.map(({ id }, place) => [id, place]));
  const clients: ClientResult[] = named.map(({ id, count }) => ({ ...known.clientOf(id), count }));
  const slots = bySlot.map(({ fromSeconds, counts }) => {
    const shown = isRankedOverall ? counts : busiest(counts, room, hidden);
    const own: [number, number][] = [];
    let rest = sum(counts.values());
    for (const [id, count] of shown) {
      const place = places.get(id);
      if (place === undefined) continue;
      own.push([place, count]);
      rest -= count;
    }
    return { fromSeconds, counts: own.toSorted(([a], [b]) => a - b), others: rest };
  });
  const others = {
    clients: all.length - named.length,
    count: statistics.total - sum(named.map(({ count }) => count)),
  };
  return { clients, others, slots };
}

/** When there is not room for all, one entry is for the others. */
function roomFor(clients: number, slots: number, most: number): number {
  const places = Math.min(most, Math.floor(maxNumbers / Math.max(slots, 1)));
  return clients > places ? Math.max(places - 1, 0) : places;
}

type Counts = ReadonlyMap<number, number>;
interface Ranked {
  readonly id: number;
  readonly count: number;
}

function busiest(counts: Counts, most: number, hidden: ReadonlySet<number>): Counts {
  return new Map(
    [...counts]
      .filter(([id]) => !hidden.has(id))
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .slice(0, most),
  );
}

/** The clients that are among the busiest of any slot, ordered by their sums. */
function busiestAnywhere(
  ranked: readonly Ranked[],
  slots: readonly { readonly counts: Counts }[],
  busiestOf: (counts: Counts) => Counts,
): Ranked[] {
  const ids = new Set(slots.flatMap(({ counts }) => [...busiestOf(counts).keys()]));
  return ranked.filter(({ id }) => ids.has(id));
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
