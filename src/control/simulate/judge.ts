// What becomes of a name under both policies, decided once for each name, type and pair of group sets. Most
// queries ask again for what was asked before: a byte is looked up for them. Types are told apart only when
// a rule does.

import { canExplain, noRank, type Policy, type Verdict } from '#policy';
import type { NamePool } from './name-pool.ts';
import type { Policies } from './policies.ts';

/** What a verdict means here: its row of the precedence table, or that another name is put in its place. */
const aliasFate = noRank + 1;
const fateOf = ({ kind, rank }: Verdict): number => (kind === 'local' ? aliasFate : rank);

/** As in the history, also when a rule puts another name in its place. In odd rows rules block. */
export const isBlocked = (fate: number): boolean => fate === aliasFate || (fate < noRank && fate % 2 === 1);

/** A name that is blocked leads nowhere; else the earlier row says. Aliases are about their own name only. */
export function jointFate(own: number, behind: number): number {
  const isSettled = isBlocked(own) || behind === aliasFate;
  return isSettled ? own : Math.min(own, behind);
}

/** The group sets of a client in either policy. */
interface Pair {
  readonly before: number;
  readonly after: number;
}

/** Tables of one byte for each name; combinations beyond are decided every time. */
const mostTables = 64;
const kinds = aliasFate + 1;
const anyType = 1;

export class Judge {
  readonly #policies: Policies;
  readonly #pool: NamePool;
  readonly #dependsOnType: boolean;
  readonly #pairs: Pair[] = [];
  readonly #pairNumbers = new Map<string, number>();
  readonly #tables = new Map<number, Uint8Array>();

  constructor(policies: Policies, pool: NamePool) {
    this.#policies = policies;
    this.#pool = pool;
    this.#dependsOnType = [policies.before, policies.after].some(dependsOnType);
  }

  /** The number of a pair of group sets. */
  pairOf(before: number, after: number): number {
    const key = `${before} ${after}`;
    const known = this.#pairNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#pairs.push({ before, after }) - 1;
    this.#pairNumbers.set(key, number);
    return number;
  }

  /** Both fates in one number, see `beforeOf` and `afterOf`. */
  fatesOf(name: number, askedType: number, pair: number): number {
    const type = this.#dependsOnType ? askedType : anyType;
    const table = this.#tableOf(type, pair, name);
    const known = table?.[name] ?? 0;
    if (known !== 0) return known - 1;
    const groups = this.#pairs[pair] ?? { before: 0, after: 0 };
    const { before, after } = this.#policies;
    const { name: bytes } = this.#pool;
    const length = this.#pool.load(name);
    before.budget.renew();
    after.budget.renew();
    const both = bothFates(
      fateOf(before.decide(bytes, length, type, groups.before)),
      fateOf(after.decide(bytes, length, type, groups.after)),
    );
    if (table !== undefined) table[name] = both + 1;
    return both;
  }

  /** Who says so: for the few that are told. */
  verdict(which: keyof Policies, name: number, type: number, pair: number): Verdict {
    const groups = this.#pairs[pair]?.[which] ?? 0;
    const length = this.#pool.load(name);
    this.#policies[which].budget.renew();
    return this.#policies[which].decide(this.#pool.name, length, type, groups);
  }

  #tableOf(type: number, pair: number, name: number): Uint8Array | undefined {
    const key = pair * 65_536 + type;
    const known = this.#tables.get(key);
    if (known !== undefined && name < known.length) return known;
    if (known === undefined && this.#tables.size >= mostTables) return undefined;
    const table = new Uint8Array(roomFor(this.#pool.size));
    if (known !== undefined) table.set(known);
    this.#tables.set(key, table);
    return table;
  }
}

export const bothFates = (before: number, after: number): number => before * kinds + after;
export const beforeOf = (both: number): number => Math.trunc(both / kinds);
export const afterOf = (both: number): number => both % kinds;

/** Names come slice by slice. */
const roomFor = (names: number): number => 2 ** Math.ceil(Math.log2(Math.max(names, 1) + 16_384));

const dependsOnType = (policy: Policy): boolean => canExplain(policy) && policy.dependsOnType;
