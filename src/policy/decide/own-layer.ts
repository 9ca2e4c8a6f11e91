// The user's own rules, compiled on their own: adding one must not touch a million names of lists. It is a
// snapshot like that of the lists, only small, in which every rule is a source of its own, since each has its
// own number and its own groups. It is hashed under the key of the lists' snapshot, so that a name that is
// asked is hashed once for both.

import type { ScannedRule } from '../rules/scanned-rule.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';

export interface OwnRule {
  /** What verdicts name it by. */
  readonly id: number;
  /** The groups it holds for. */
  readonly groups: readonly number[];
  /** Read at once; the line does not matter. Rules that have expired are left out by the caller. */
  readonly rule: Readonly<ScannedRule>;
}

export interface OwnLayer {
  readonly rules: readonly OwnRule[];
  readonly snapshot: Snapshot;
}

/** Room for half a million rules; memory is taken for those that are there. */
const mostOwnBytes = 2 ** 24;

/** `key`: that of the lists' snapshot; a policy hashes anew by itself when the two do not fit. */
export function createOwnLayer(rules: readonly OwnRule[], key: Int32Array): OwnLayer {
  const builder = new SnapshotBuilder({ key, expectedNames: rules.length, mostBytes: mostOwnBytes });
  for (const { id, rule } of rules) builder.add(builder.addSource(id), rule);
  const snapshot = builder.finishHere();
  if (snapshot === undefined) throw new RangeError(`${rules.length} own rules are too many`);
  return { rules, snapshot };
}
