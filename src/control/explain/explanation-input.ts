// The input of an explanation in the api thread: the result of a dns worker, and the stored rules, lists,
// groups and clients that it refers to. Also the types of the reply and its steps.

import type { ReplyBody } from '#contract';
import type { Explained } from '#engine';
import type { FoundRule } from '#lists/search';
import type { ReadModel } from '#store/database';
import type { StoredPause } from '#store/database/entities';

export type ExplanationBody = ReplyBody<'getExplanation', 200>;
export type Step = ExplanationBody['steps'][number];
export type StepOf<N extends Step['step']> = Extract<Step, { step: N }>;
export type RuleResult = StepOf<'rules'>['rules'][number];

/** The query to explain, as text. */
interface ExplainedQuery {
  readonly domain: string;
  readonly type: string;
  readonly client: string;
}

/** What only the api thread knows. */
export interface Known {
  readonly read: Pick<ReadModel, 'groups' | 'domains' | 'lists' | 'clients'>;
  readonly pauses: readonly StoredPause[];
  readonly blocking: { readonly blocking: boolean; readonly timer: number | null };
  readonly nowSeconds: number;
}

export interface ExplanationInput extends Known {
  readonly asked: ExplainedQuery;
  readonly explained: Explained;
  /** The dns worker that explained; '' when none runs. */
  readonly worker: string;
  /** The lines of list rules, as far as they were found in time. */
  readonly lines: readonly FoundRule[];
}
