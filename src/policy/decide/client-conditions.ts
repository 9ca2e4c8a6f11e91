// `;client`, `$client` and `$ctag`: rules that apply to some clients only. The engine knows a client by the
// number of its group set, so such a condition is checked once, when the number is assigned: each distinct
// condition of all rules has a number too, and a group set records which conditions its clients fulfil.

import type { Choice, RuleOptions } from '../rules/scanned-rule.ts';
import { ClientIndex } from './client-index.ts';

/** The client of a query, as rules may refer to it. */
export interface ClientFacts {
  readonly address: Uint8Array;
  /** In lower case; the id of a configured client as `#7`. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

/** Each takes a byte in every group set. */
export const maxConditions = 4096;
/** Above the limit a rule applies to no client: one for a single device must not affect all others. */
const noClient = 0;

export class ClientConditions {
  readonly #numbers = new Map<string, number>();
  /** By number; `noClient` is the first. */
  readonly #tags: (Choice<string> | undefined)[] = [undefined];
  /** The conditions that are for all clients, except for some. */
  readonly #general: number[] = [];
  readonly #meant = new ClientIndex();
  readonly #excepted = new ClientIndex();

  get count(): number {
    return this.#tags.length;
  }

  /** The number of the condition in these options; -1: none. */
  numberOf({ clients, tags }: RuleOptions): number {
    if (clients === undefined && tags === undefined) return -1;
    const key = JSON.stringify([clients, tags]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#tags.length >= maxConditions) return noClient;
    const number = this.#tags.push(tags) - 1;
    this.#numbers.set(key, number);
    this.#add(clients ?? { only: [], except: [] }, number);
    return number;
  }

  #add({ only, except }: Choice<string>, number: number): void {
    if (only.length === 0) this.#general.push(number);
    for (const word of only) this.#meant.add(word, number);
    for (const word of except) this.#excepted.add(word, number);
  }

  /** The numbers of the conditions that the client fulfils, sorted. */
  fulfilled({ address, names, tags }: ClientFacts): number[] {
    if (this.#tags.length === 1) return [];
    const numbers = new Set([...this.#general, ...this.#meant.matching(address, names)]);
    for (const number of this.#excepted.matching(address, names)) numbers.delete(number);
    return [...numbers].filter((number) => hasTag(this.#tags[number], tags)).toSorted((a, b) => a - b);
  }
}

function hasTag(wanted: Choice<string> | undefined, tags: readonly string[]): boolean {
  if (wanted === undefined) return true;
  const { only, except } = wanted;
  const isMeant = only.length === 0 || only.some((tag) => tags.includes(tag));
  return isMeant && !except.some((tag) => tags.includes(tag));
}
