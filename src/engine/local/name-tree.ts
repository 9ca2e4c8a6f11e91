// Values by name, the most specific first: a value for a name itself, and one for everything below a name. A
// query that has nothing to do with any of them finds that out from its last two labels, since nearly all
// queries have not.

import { nameFromText } from '#wire';

interface Node<T> {
  readonly name: Uint8Array;
  exact: T | undefined;
  below: T | undefined;
}

const filterBits = 4096;
const hashStart = 0x811c9dc5;
const hashPrime = 0x01000193;
const mostLabels = 128;

export class NameTree<T> {
  readonly #nodes = new Map<number, Node<T>[]>();
  /** One bit for each ending of one or two labels that stands in the tree. */
  readonly #filter = new Uint8Array(filterBits);
  readonly #starts = new Uint8Array(mostLabels);

  /** `*.x` stands for everything below x, but not x. False when the text is no name. */
  add(text: string, value: T): boolean {
    const isWildcard = text.startsWith('*.');
    const name = nameFromText((isWildcard ? text.slice(2) : text).toLowerCase());
    if (name === undefined) return false;
    if (isWildcard) this.#node(name).below = value;
    else this.#node(name).exact = value;
    return true;
  }

  /** The name and everything below it. */
  addZone(text: string, value: T): boolean {
    return this.add(text, value) && this.add(`*.${text}`, value);
  }

  /** The value of the name itself, or else of the nearest name above it that has one for what is below. */
  find(name: Uint8Array, nameLength: number): T | undefined {
    const labels = this.#walk(name, nameLength);
    if (!this.#mayBeHere(name, nameLength, labels)) return undefined;
    const whole = this.#find(name, 0, nameLength)?.exact;
    if (whole !== undefined) return whole;
    for (let label = 1; label <= labels; label++) {
      const from = label === labels ? nameLength - 1 : (this.#starts[label] ?? 0);
      const below = this.#find(name, from, nameLength)?.below;
      if (below !== undefined) return below;
    }
    return undefined;
  }

  #walk(name: Uint8Array, nameLength: number): number {
    let labels = 0;
    for (let at = 0; at < nameLength - 1 && labels < mostLabels; at += (name[at] ?? 0) + 1)
      this.#starts[labels++] = at;
    return labels;
  }

  #mayBeHere(name: Uint8Array, nameLength: number, labels: number): boolean {
    if (labels === 0) return true;
    const last = this.#starts[labels - 1] ?? 0;
    if (this.#filter[hashFrom(name, last, nameLength) & (filterBits - 1)] === 1) return true;
    if (labels === 1) return false;
    const two = this.#starts[labels - 2] ?? 0;
    return this.#filter[hashFrom(name, two, nameLength) & (filterBits - 1)] === 1;
  }

  #find(name: Uint8Array, from: number, nameLength: number): Node<T> | undefined {
    const nodes = this.#nodes.get(hashFrom(name, from, nameLength));
    if (nodes === undefined) return undefined;
    for (const node of nodes) if (isSame(node.name, name, from, nameLength)) return node;
    return undefined;
  }

  #node(name: Uint8Array): Node<T> {
    const found = this.#find(name, 0, name.length);
    if (found !== undefined) return found;
    const node: Node<T> = { name, exact: undefined, below: undefined };
    const hash = hashFrom(name, 0, name.length);
    this.#nodes.set(hash, [...(this.#nodes.get(hash) ?? []), node]);
    const labels = this.#walk(name, name.length);
    // Every name is below the root.
    if (labels === 0) this.#filter.fill(1);
    const from = this.#starts[Math.max(0, labels - 2)] ?? 0;
    this.#filter[hashFrom(name, from, name.length) & (filterBits - 1)] = 1;
    return node;
  }
}

function hashFrom(name: Uint8Array, from: number, end: number): number {
  let hash = hashStart;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ (name[at] ?? 0), hashPrime);
  return hash;
}

function isSame(one: Uint8Array, name: Uint8Array, from: number, end: number): boolean {
  if (one.length !== end - from) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== name[from + i]) return false;
  return true;
}
