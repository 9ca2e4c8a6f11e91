// What an explanation is made of in the api thread: what a dns worker has told, and what only this thread
// knows of the rules, lists, groups and clients that it named. And the shapes of the reply, by their names.

import type { ReplyBody } from '#contract';
import type { Explained } from '#engine';
import type { FoundRule } from '#lists/search';
import type { ReadModel } from '#store/database';
import type { StoredPause } from '#store/database/entities';

export type ExplanationBody = ReplyBody<'getExplanation', 200>;
export type Step = ExplanationBody['steps'][number];
export type StepOf<N extends Step['step']> = Extract<Step, { step: N }>;
export type RuleResult = StepOf<'rules'>['rules'][number];

/** What was asked, as people write it. */
interface ExplainedQuery {
  readonly domain: string;
  readonly type: string;
  readonly client: string;
}

/** What the api thread knows. */
export interface Known {
  readonly read: Pick<ReadModel, 'groups' | 'domains' | 'lists' | 'clients'>;
  readonly pauses: readonly StoredPause[];
  readonly blocking: { readonly blocking: boolean; readonly timer: number | null };
  readonly nowSeconds: number;
}

export interface ExplanationInput extends Known {
  readonly asked: ExplainedQuery;
  readonly explained: Explained;
  /** The dns worker that told it; '' when none runs. */
  readonly worker: string;
  /** Where rules of lists stand, as far as they were found in time. */
  readonly lines: readonly FoundRule[];
}
