// The policy of one worker, compiled from what the api thread says. Kept between changes, so that automata of
// patterns that stay are not made again.

import {
  createOwnLayer,
  createPolicy,
  emptyPolicy,
  parseUserRule,
  SnapshotBuilder,
  type CompiledPolicy,
  type OwnRule,
  type PatternFinding,
  type Policy,
  type Snapshot,
} from '#policy';
import type { PlannedRule, PolicyPlan } from './policy-plan.ts';

/** Patterns were checked when they were stored; one that does not compile matches nothing. */
const trusted = (): PatternFinding => ({ kind: 'fine' });

export class WorkerPolicy {
  readonly #notice: (text: string) => void;
  readonly #lists: Snapshot;
  #previous: CompiledPolicy | undefined;
  #version = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(notice: (text: string) => void) {
    const empty = new SnapshotBuilder({ expectedNames: 0 }).finishHere();
    if (empty === undefined) throw new Error('an empty snapshot needs next to no memory');
    this.#notice = notice;
    this.#lists = empty;
  }

  /** One after the other: what was said last holds in the end. */
  compile(plan: PolicyPlan): Promise<Policy> {
    const turn = this.#turn.then(() => this.#compile(plan));
    this.#turn = turn;
    return turn;
  }

  async #compile({ rules, isBlocking, defaultGroups }: PolicyPlan): Promise<Policy> {
    if (rules.length === 0) return emptyPolicy;
    const own = createOwnLayer(
      rules.flatMap((rule) => this.#parse(rule)),
      this.#lists.key,
    );
    this.#previous = await createPolicy({
      version: ++this.#version,
      lists: this.#lists,
      listsInForce: [],
      own,
      clients: [],
      defaultGroups,
      isBlocking,
      previous: this.#previous,
    });
    return this.#previous;
  }

  #parse({ id, groups, domain, kind, action }: PlannedRule): readonly OwnRule[] {
    const parsed = parseUserRule({ domain, kind, action }, trusted);
    if (parsed.isRule) return [{ id, groups, rule: parsed.rule }];
    this.#notice(
      `The rule ${domain} is not in force: ${parsed.message} (${parsed.hint}). Change or delete it.`,
    );
    return [];
  }
}
