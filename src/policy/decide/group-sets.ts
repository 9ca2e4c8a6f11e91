// The groups of a client as one number. Clients share a number if they have the same groups in force and
// fulfil the same `$client` and `$ctag` conditions; rules for the same groups share a scope. A group set is a
// table of scopes, so that "does this rule apply to this client?" is one byte read.

/** The engine keeps the number in 16 bits. */
export const maxGroupSets = 65_536;

export interface GroupSet {
  /** By scope: 1 when its rules apply. */
  readonly scopes: Uint8Array;
  /** By number of the condition: 1 when it is fulfilled. */
  readonly conditions: Uint8Array;
  readonly isBlocking: boolean;
  readonly groups: readonly number[];
}

export class GroupSets {
  readonly #scopes: (readonly number[])[] = [];
  readonly #scopeNumbers = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  /** Number 0 is the set of the default groups. */
  readonly sets: GroupSet[] = [];

  /** All scopes must be added before the first set. */
  scopeOf(groups: readonly number[]): number {
    const sorted = sortedOnce(groups);
    const key = sorted.join();
    const known = this.#scopeNumbers.get(key);
    if (known !== undefined) return known;
    const scope = this.#scopes.push(sorted) - 1;
    this.#scopeNumbers.set(key, scope);
    return scope;
  }

  /** Above the limit a client is treated as an unknown one. */
  numberOf(
    groups: readonly number[],
    isBlocking: boolean,
    fulfilled: readonly number[],
    conditionCount: number,
  ): number {
    const sorted = sortedOnce(groups);
    const key = `${isBlocking ? 1 : 0};${sorted.join()};${fulfilled.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.sets.length >= maxGroupSets) return 0;
    const number = this.sets.push(this.#setOf(sorted, isBlocking, fulfilled, conditionCount)) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  #setOf(
    groups: readonly number[],
    isBlocking: boolean,
    fulfilled: readonly number[],
    conditionCount: number,
  ): GroupSet {
    const scopes = Uint8Array.from(this.#scopes, (scope) =>
      scope.some((group) => groups.includes(group)) ? 1 : 0,
    );
    const conditions = new Uint8Array(conditionCount);
    for (const number of fulfilled) conditions[number] = 1;
    return { scopes, conditions, isBlocking, groups };
  }
}

function sortedOnce(numbers: readonly number[]): readonly number[] {
  return numbers.length < 2 ? numbers : [...new Set(numbers)].toSorted((a, b) => a - b);
}
