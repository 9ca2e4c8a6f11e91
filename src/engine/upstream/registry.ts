// All upstreams that are or were in use, by their text and by their number. A number keeps its meaning as
// long as the process runs, because records of old answers carry it; an upstream that the options name again
// goes on with its sockets and its health.

import { parseUpstream, type UpstreamAddress } from './parse-upstream.ts';
import { Upstream } from './upstream.ts';
import type { UpstreamParts } from './upstream-parts.ts';

/** Different texts in the life of a process; numbers fit in 16 bits of a record with room to spare. */
const maxUpstreams = 4096;

export class Registry {
  readonly #parts: UpstreamParts;
  readonly #byText = new Map<string, Upstream>();
  readonly #texts: string[] = [];
  readonly #indexes = new Map<string, number>();

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
  }

  /** The upstream of that text, a new one or the one we have; undefined when the text has no known form. */
  acquire(text: string): Upstream | undefined {
    const known = this.#byText.get(text);
    if (known !== undefined) {
      known.isWanted = true;
      return known;
    }
    const address = parseUpstream(text);
    return address === undefined ? undefined : this.#add(address);
  }

  /** Before new options name theirs. */
  unwantAll(nowMs: number): void {
    for (const upstream of this.#byText.values()) upstream.unwant(nowMs);
  }

  /** Upstreams that the options do not name any more are removed once no question can refer to them. */
  tick(nowMs: number): void {
    for (const upstream of this.#byText.values()) {
      upstream.tick(nowMs);
      if (!upstream.isOver(nowMs)) continue;
      upstream.close();
      this.#byText.delete(upstream.text);
    }
  }

  /** A list of its own, which stays as it is whatever happens to the upstreams. */
  all(): readonly Upstream[] {
    return [...this.#byText.values()];
  }

  textOf(index: number): string {
    return this.#texts[index] ?? '';
  }

  close(): void {
    for (const upstream of this.#byText.values()) upstream.close();
    this.#byText.clear();
  }

  #add(address: UpstreamAddress): Upstream | undefined {
    const index = this.#indexes.get(address.text) ?? this.#texts.length;
    if (index >= maxUpstreams) return undefined;
    this.#texts[index] = address.text;
    this.#indexes.set(address.text, index);
    const upstream = new Upstream(index, address, this.#parts);
    this.#byText.set(address.text, upstream);
    return upstream;
  }
}
