// The jobs of simulate threads, their replies, and the messages by which they query the history through the
// api thread: plain data.

import type { PolicyPlan } from '../plan/policy-plan.ts';
import type { Answer, QuestionName, Scope } from '#history/thread';
import type { ListType } from '#store/database/entities';

/** A list that is not in the snapshot. */
export interface ListText {
  readonly id: number;
  readonly type: ListType;
  /** For messages. */
  readonly name: string;
  /** A file with its text, compressed with zstd; undefined: its stored copy. */
  readonly draft?: { readonly path: string; readonly unpackedBytes: number };
}

export interface SimulationRequest {
  readonly dataDir: string;
  /** The current policy. */
  readonly before: PolicyPlan;
  /** The changed policy. */
  readonly after: PolicyPlan;
  readonly texts: readonly ListText[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Entries of each ranking. */
  readonly top: number;
  /** Time limit for judging queries; reading the lists is not included. */
  readonly limitMs: number;
}

export interface SimulatedDomain {
  readonly domain: string;
  readonly count: number;
  /** The list or rule that blocks it, in the changed policy or in the current one. */
  readonly by: string;
}

interface SimulatedClient {
  readonly ip: string;
  readonly name: string;
  readonly count: number;
}

/** Queries whose verdict would change. */
export interface Difference {
  readonly queries: number;
  readonly domains: number;
  readonly clients: number;
  readonly topDomains: readonly SimulatedDomain[];
  readonly topClients: readonly SimulatedClient[];
}

export interface Simulated {
  /** Queries that were judged. */
  readonly queries: number;
  /** Queries among them whose name was not recorded. */
  readonly hidden: number;
  readonly blockedBefore: number;
  readonly blockedAfter: number;
  readonly blocked: Difference;
  readonly freed: Difference;
  readonly truncated: boolean;
}

export interface SurveyRequest {
  readonly dataDir: string;
  /** Every list and rule applies to all clients. */
  readonly plan: PolicyPlan;
  readonly scope: Scope;
  /** Deadline on the clock that all threads share. */
  readonly endMs: number;
}

export interface SurveyedList {
  readonly id: number;
  /** Queries whose name it has a rule for. */
  readonly matches: number;
  /** Matches that no other list of its kind has. */
  readonly only: number;
  /** Matches that an allow rule overrides. */
  readonly overridden: number;
  /** Matches that another list has too, the largest count first. */
  readonly overlaps: readonly { readonly id: number; readonly count: number }[];
}

export interface Surveyed {
  readonly lists: readonly SurveyedList[];
  readonly truncated: boolean;
}

export type SimulateJob =
  | { readonly kind: 'simulate'; readonly request: SimulationRequest }
  | { readonly kind: 'survey'; readonly request: SurveyRequest };

export interface Refused {
  /** A sentence for the user. */
  readonly problem: string;
  /** The history could not answer. */
  readonly isHistory?: true;
}

export interface SimulateReplies {
  readonly simulate: Simulated | Refused;
  readonly survey: Surveyed | Refused;
}

export type SimulateReply = SimulateReplies[SimulateJob['kind']];

export interface SimulateThreadData {
  readonly job: SimulateJob;
  readonly compileCacheDir: string | undefined;
}

export type FromSimulate =
  | {
      readonly kind: 'ask';
      readonly number: number;
      readonly name: QuestionName;
      readonly question: unknown;
      readonly limitMs: number;
    }
  | { readonly kind: 'done'; readonly reply: SimulateReply };

export interface ToSimulate {
  readonly number: number;
  readonly answer: Answer<unknown>;
}
