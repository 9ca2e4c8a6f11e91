// Which group of upstreams serves a name: the most specific suffix wins. Suffixes lie in one table by a hash
// that grows label by label from the right, so a name costs one look per label however many routes there are,
// and nothing at all when there are none.

import { isBelowOrSame, nameFromText } from '#wire';

interface Route<T> {
  readonly suffix: Uint8Array;
  readonly target: T;
}

const maxLabels = 128;
const hashStart = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

export class Routes<T> {
  readonly #byHash = new Map<number, Route<T>[]>();
  readonly #labelAt = new Uint8Array(maxLabels);

  get isEmpty(): boolean {
    return this.#byHash.size === 0;
  }

  /** False when the text is no name. A name that has a route keeps its first one. */
  add(domain: string, target: T): boolean {
    const suffix = nameFromText(domain.toLowerCase());
    if (suffix === undefined) return false;
    const hash = hashAll(suffix);
    const chain = this.#byHash.get(hash) ?? [];
    if (chain.some((route) => same(route.suffix, suffix))) return true;
    chain.push({ suffix, target });
    this.#byHash.set(hash, chain);
    return true;
  }

  find(name: Uint8Array): T | undefined {
    if (this.#byHash.size === 0) return undefined;
    const count = this.#split(name);
    const end = count === 0 ? 0 : (this.#labelAt[count - 1] ?? 0);
    const nameLength = count === 0 ? 1 : end + (name[end] ?? 0) + 2;
    let hash = hashStart;
    let found = this.#at(hash, name, nameLength);
    for (let label = count - 1; label >= 0; label -= 1) {
      hash = hashLabel(hash, name, this.#labelAt[label] ?? 0);
      found = this.#at(hash, name, nameLength) ?? found;
    }
    return found;
  }

  #at(hash: number, name: Uint8Array, nameLength: number): T | undefined {
    const chain = this.#byHash.get(hash);
    if (chain === undefined) return undefined;
    for (const route of chain) if (isBelowOrSame(name, nameLength, route.suffix)) return route.target;
    return undefined;
  }

  /** Notes where each label begins and returns their number. */
  #split(name: Uint8Array): number {
    let count = 0;
    let at = 0;
    while (count < maxLabels) {
      const length = name[at] ?? 0;
      if (length === 0) break;
      this.#labelAt[count] = at;
      count += 1;
      at += length + 1;
    }
    return count;
  }
}

function hashLabel(hash: number, name: Uint8Array, at: number): number {
  const end = at + (name[at] ?? 0);
  let mixed = hash;
  for (let byte = at; byte <= end; byte += 1) mixed = Math.imul(mixed ^ (name[byte] ?? 0), hashPrime);
  return mixed;
}

function hashAll(name: Uint8Array): number {
  const starts: number[] = [];
  for (let at = 0; (name[at] ?? 0) !== 0; at += (name[at] ?? 0) + 1) starts.push(at);
  return starts.reduceRight((hash, at) => hashLabel(hash, name, at), hashStart);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
