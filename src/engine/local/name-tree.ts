// Values by name, the most specific first: a value for a name itself, and one for everything below a name. A
// query that has nothing to do with any of them finds that out from the marks of its last label and its last
// two, which its view has anyway, since nearly all queries have not.

import { endingMark, nameFromText } from '#wire';

interface Node<T> {
  readonly name: Uint8Array;
  exact: T | undefined;
  below: T | undefined;
}

/** What a QueryView says of its name. */
interface Endings {
  readonly lastLabelMark: number;
  readonly lastTwoMark: number;
}

const filterBits = 4096;
const filterMask = filterBits - 1;
const hashStart = 0x811c9dc5;
const hashPrime = 0x01000193;
const maxLabels = 128;

export class NameTree<T> {
  readonly #nodes = new Map<number, Node<T>[]>();
  /** One bit for each ending of one or two labels that stands in the tree. */
  readonly #filter = new Uint8Array(filterBits);
  readonly #starts = new Uint8Array(maxLabels);

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

  /** Whether a name with such an ending may be here; nothing that is here is denied. */
  mayHold({ lastLabelMark, lastTwoMark }: Endings): boolean {
    return (
      (this.#filter[lastTwoMark & filterMask] ?? 0) + (this.#filter[lastLabelMark & filterMask] ?? 0) > 0
    );
  }

  /** The value of the name itself, or else of the nearest name above it that has one for what is below. */
  find(name: Uint8Array, nameLength: number): T | undefined {
    const whole = this.#find(name, 0, nameLength)?.exact;
    if (whole !== undefined) return whole;
    const labels = this.#walk(name, nameLength);
    for (let label = 1; label <= labels; label++) {
      const from = label === labels ? nameLength - 1 : (this.#starts[label] ?? 0);
      const below = this.#find(name, from, nameLength)?.below;
      if (below !== undefined) return below;
    }
    return undefined;
  }

  #walk(name: Uint8Array, nameLength: number): number {
    let labels = 0;
    for (let at = 0; at < nameLength - 1 && labels < maxLabels; at += (name[at] ?? 0) + 1)
      this.#starts[labels++] = at;
    return labels;
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
    this.#admit(name);
    return node;
  }

  #admit(name: Uint8Array): void {
    const labels = this.#walk(name, name.length);
    // Every name is below the root.
    if (labels === 0) this.#filter.fill(1);
    const last = endingMark(name, this.#starts[labels - 1] ?? 0, 0);
    const mark = labels > 1 ? endingMark(name, this.#starts[labels - 2] ?? 0, last) : last;
    this.#filter[mark & filterMask] = 1;
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
