// Counts for each list how many stored queries it has a rule for, how many no other list has a rule for, and
// how much it overlaps with other lists. It works on counts per name, the most frequent first, as if every
// list and rule applied to every client and all queries were of type A: the history has no sums by name and
// client, and reading all rows would take too long.

import { limits } from '#contract/limits';
import { canExplain, ListSurvey, type ExplainingPolicy, type Policy } from '#policy';
import { nameFromText } from '#wire';
import type { HistoryReader } from '#history/thread';
import type { Refused, Surveyed, SurveyedList, SurveyRequest } from './job.ts';

export interface SurveyTools {
  readonly history: HistoryReader;
  /** The clock that all threads share. */
  readonly sharedMs: () => number;
}

/** Names whose texts are requested at once. */
const batchNames = 10_000;
/** Names between two reads of the clock. */
const stride = 512;
const maxOverlaps = 20;
const typeA = 1;
/** Any client will do, because every rule applies to all of them. */
const anyClient = { address: new Uint8Array(16), name: undefined };

/** `opening`: the policy is compiled while the history is queried. */
export async function survey(
  { scope, endMs, plan }: SurveyRequest,
  opening: Promise<Policy>,
  { history, sharedMs }: SurveyTools,
): Promise<Surveyed | Refused> {
  const leftMs = (): number => Math.max(endMs - sharedMs(), 0);
  const counted = await history.query(
    'nameCounts',
    { ...scope, most: limits.simulatedNames },
    { limitMs: leftMs() },
  );
  const policy = await opening;
  if (!counted.ok) return { problem: counted.problem, isHistory: true };
  const { names, counts, truncated } = counted.value;
  const sums = new Sums(plan.lists.map(({ id }) => id));
  if (!canExplain(policy)) return { lists: sums.lists(), truncated };
  const requestTexts = (from: number) =>
    history.query(
      'texts',
      { names: names.slice(from, from + batchNames), clients: noClients },
      { limitMs: leftMs() },
    );
  let requested = requestTexts(0);
  for (let from = 0; from < names.length; from += batchNames) {
    const texts = await requested;
    if (!texts.ok) return { problem: texts.problem, isHistory: true };
    // The history reads the next batch while this one is judged.
    if (from + batchNames < names.length) requested = requestTexts(from + batchNames);
    const isDone = judge(policy, texts.value.names.split('\n'), counts.subarray(from), sums, leftMs);
    if (!isDone) return { lists: sums.lists(), truncated: true };
  }
  return { lists: sums.lists(), truncated };
}

const noClients = new Uint32Array(0);

/** False at the deadline. */
function judge(
  policy: ExplainingPolicy,
  texts: readonly string[],
  counts: Float64Array,
  sums: Sums,
  leftMs: () => number,
): boolean {
  const met = new ListSurvey();
  const groups = policy.groupsOf(anyClient);
  for (const [at, text] of texts.entries()) {
    if (at % stride === stride - 1 && leftMs() === 0) return false;
    const name = text === '' ? undefined : nameFromText(text);
    if (name === undefined) continue;
    const { kind } = policy.survey(name, name.length, typeA, groups, met);
    const count = counts[at] ?? 0;
    sums.add(met.blocking, count, kind === 'allow');
    sums.add(met.allowing, count, false);
  }
  return true;
}

/** Sums by the index of the list. */
class Sums {
  readonly #ids: readonly number[];
  readonly #places: ReadonlyMap<number, number>;
  readonly #matches: Float64Array;
  readonly #only: Float64Array;
  readonly #overridden: Float64Array;
  /** Key: index of one list times the number of lists, plus the index of the other. */
  readonly #pairs = new Map<number, number>();

  constructor(ids: readonly number[]) {
    this.#ids = ids;
    this.#places = new Map(ids.map((id, place) => [id, place]));
    this.#matches = new Float64Array(ids.length);
    this.#only = new Float64Array(ids.length);
    this.#overridden = new Float64Array(ids.length);
  }

  add(lists: readonly number[], count: number, isOverridden: boolean): void {
    for (const id of lists) {
      const place = this.#places.get(id) ?? -1;
      if (place < 0) continue;
      this.#matches[place] = (this.#matches[place] ?? 0) + count;
      if (isOverridden) this.#overridden[place] = (this.#overridden[place] ?? 0) + count;
      if (lists.length === 1) this.#only[place] = (this.#only[place] ?? 0) + count;
      else this.#pair(place, lists, id, count);
    }
  }

  #pair(place: number, lists: readonly number[], id: number, count: number): void {
    for (const other of lists) {
      if (other === id) continue;
      const key = place * this.#ids.length + (this.#places.get(other) ?? 0);
      this.#pairs.set(key, (this.#pairs.get(key) ?? 0) + count);
    }
  }

  lists(): SurveyedList[] {
    return this.#ids.map((id, place) => ({
      id,
      matches: this.#matches[place] ?? 0,
      only: this.#only[place] ?? 0,
      overridden: this.#overridden[place] ?? 0,
      overlaps: this.#overlaps(place),
    }));
  }

  #overlaps(place: number): SurveyedList['overlaps'] {
    return this.#ids
      .map((id, other) => ({ id, count: this.#pairs.get(place * this.#ids.length + other) ?? 0 }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count || a.id - b.id)
      .slice(0, maxOverlaps);
  }
}
