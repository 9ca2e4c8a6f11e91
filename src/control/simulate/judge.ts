// Decides a name with both policies, once for each name, type and pair of group sets. Most queries repeat
// earlier ones: for them a lookup of one byte is enough. Query types are distinguished only if some rule
// depends on the type.

import { canExplain, noRank, type Policy, type Verdict } from '#policy';
import type { NamePool } from './name-pool.ts';
import type { Policies } from './policies.ts';

/** A fate is the row of the verdict in the precedence table, or this: a rule answers with an alias. */
const aliasFate = noRank + 1;

function fateOf({ kind, rank }: Verdict): number {
  return kind === 'local' ? aliasFate : rank;
}

/** Odd rows block. As in the history, an alias counts as a block. */
export function isBlocked(fate: number): boolean {
  return fate === aliasFate || (fate < noRank && fate % 2 === 1);
}

/** The fate of a name and its target: the earlier row, unless the name itself is blocked. */
export function jointFate(own: number, behind: number): number {
  // An alias rule for the target has no effect on the name that leads to it.
  const isSettled = isBlocked(own) || behind === aliasFate;
  return isSettled ? own : Math.min(own, behind);
}

/** The group sets of a client in both policies. */
interface Pair {
  readonly before: number;
  readonly after: number;
}

/** Tables with one byte per name; combinations above the limit are decided every time. */
const maxTables = 64;
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

  /** The full verdict, for the few names in the result. */
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
    if (known === undefined && this.#tables.size >= maxTables) return undefined;
    const table = new Uint8Array(tableSize(this.#pool.size));
    if (known !== undefined) table.set(known);
    this.#tables.set(key, table);
    return table;
  }
}

export function bothFates(before: number, after: number): number {
  return before * kinds + after;
}

export function beforeOf(both: number): number {
  return Math.trunc(both / kinds);
}

export function afterOf(both: number): number {
  return both % kinds;
}

/** Larger than needed now, because names arrive slice by slice. */
function tableSize(names: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(names, 1) + 16_384));
}

function dependsOnType(policy: Policy): boolean {
  return canExplain(policy) && policy.dependsOnType;
}
