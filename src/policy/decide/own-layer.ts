// The user's own rules, compiled separately: adding one must not touch a million names of lists. They form a
// small snapshot in which every rule is its own source, because each has its own number and groups. It is
// hashed under the key of the lists' snapshot, so that a queried name is hashed once for both. There may be a
// hundred thousand rules: they are added one by one, so that the caller can do urgent work in between, and
// finishing is quick.

import { kindOfWord } from '../rules/client-words.ts';
import type { Choice, ScannedRule } from '../rules/scanned-rule.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';
import type { LayerSource } from './rule-layer.ts';

export interface OwnRule {
  /** The id in verdicts. */
  readonly id: number;
  /** The groups to which it applies. */
  readonly groups: readonly number[];
  /** Read at once; the line is ignored. The caller leaves out rules that have expired. */
  readonly rule: Readonly<ScannedRule>;
}

export interface OwnLayer {
  readonly snapshot: Snapshot;
  /** One per rule, in the order of the snapshot's sources. */
  readonly sources: readonly LayerSource[];
  /** How many rules did not fit. */
  readonly refused: number;
  /** The clients that rules name (`;client=`), except for addresses, ranges and ids. */
  readonly clientNames: ReadonlySet<string>;
}

/** Room for half a million rules; memory is allocated for existing rules only. */
const maxOwnBytes = 2 ** 24;

export class OwnLayerBuilder {
  readonly #builder: SnapshotBuilder;
  readonly #sources: LayerSource[] = [];
  /** By their text: a hundred thousand rules share a few lists of groups. */
  readonly #groups = new Map<string, readonly number[]>();
  readonly #clientNames = new Set<string>();
  #refused = 0;

  /** `key` is that of the lists' snapshot. */
  constructor(expectedRules: number, key: Int32Array) {
    this.#builder = new SnapshotBuilder({ key, expectedNames: expectedRules, maxBytes: maxOwnBytes });
  }

  add({ id, groups, rule }: OwnRule): void {
    const reason = rule.pattern === undefined ? 'exact' : 'regex';
    const source = this.#sources.push({ id, groups: this.#shared(groups), reason, text: '' }) - 1;
    if (this.#builder.addOnly(source, rule) < 0) this.#refused++;
    if (rule.options?.clients !== undefined) this.#addClients(rule.options.clients);
  }

  #addClients({ only, except }: Choice<string>): void {
    for (const word of [...only, ...except]) {
      const kind = kindOfWord(word);
      if (kind !== 'range' && kind !== 'id') this.#clientNames.add(word);
    }
  }

  /** Must be called once. */
  finish(): OwnLayer {
    const snapshot = this.#builder.finishHere();
    if (snapshot === undefined) throw new RangeError(`${this.#sources.length} own rules are too many`);
    return {
      snapshot,
      sources: this.#sources,
      refused: this.#refused,
      clientNames: this.#clientNames,
    };
  }

  #shared(groups: readonly number[]): readonly number[] {
    const text = groups.join();
    const known = this.#groups.get(text);
    if (known === undefined) this.#groups.set(text, groups);
    return known ?? groups;
  }
}

/** All at once. */
export function createOwnLayer(rules: readonly OwnRule[], key: Int32Array): OwnLayer {
  const builder = new OwnLayerBuilder(rules.length, key);
  for (const rule of rules) builder.add(rule);
  return builder.finish();
}
