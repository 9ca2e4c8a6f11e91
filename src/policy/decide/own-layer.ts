// The user's own rules, compiled on their own: adding one must not touch a million names of lists. It is a
// snapshot like that of the lists, only small, in which every rule is a source of its own, since each has its
// own number and its own groups. It is hashed under the key of the lists' snapshot, so that a name that is
// asked is hashed once for both. There may be a hundred thousand rules: they come one by one, so that whoever
// has something more urgent can do it in between, and all that is left to do at the end is short.

import type { ScannedRule } from '../rules/scanned-rule.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';
import type { LayerSource } from './rule-layer.ts';

export interface OwnRule {
  /** What verdicts name it by. */
  readonly id: number;
  /** The groups it holds for. */
  readonly groups: readonly number[];
  /** Read at once; the line does not matter. Rules that have expired are left out by the caller. */
  readonly rule: Readonly<ScannedRule>;
}

export interface OwnLayer {
  readonly snapshot: Snapshot;
  /** One for each rule, in the order of the snapshot's sources. */
  readonly sources: readonly LayerSource[];
  /** Rules for which there was no room. */
  readonly refused: number;
}

/** Room for half a million rules; memory is taken for those that are there. */
const mostOwnBytes = 2 ** 24;

export class OwnLayerBuilder {
  readonly #builder: SnapshotBuilder;
  readonly #sources: LayerSource[] = [];
  /** By their text: a hundred thousand rules share a few lists of groups. */
  readonly #groups = new Map<string, readonly number[]>();
  #refused = 0;

  /** `key`: that of the lists' snapshot. */
  constructor(expectedRules: number, key: Int32Array) {
    this.#builder = new SnapshotBuilder({ key, expectedNames: expectedRules, mostBytes: mostOwnBytes });
  }

  add({ id, groups, rule }: OwnRule): void {
    const reason = rule.pattern === undefined ? 'exact' : 'regex';
    const source = this.#sources.push({ id, groups: this.#shared(groups), reason, text: '' }) - 1;
    if (this.#builder.addOnly(source, rule) < 0) this.#refused++;
  }

  /** Once. */
  finish(): OwnLayer {
    const snapshot = this.#builder.finishHere();
    if (snapshot === undefined) throw new RangeError(`${this.#sources.length} own rules are too many`);
    return { snapshot, sources: this.#sources, refused: this.#refused };
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
