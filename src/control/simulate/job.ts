// What a thread that tries policies out is asked, and what it tells: plain data. It asks the history itself,
// through whoever started it, in the words of reader.ts.

import type { PolicyPlan } from '../plan/policy-plan.ts';
import type { Answer, QuestionName, Scope } from '#history/thread';
import type { ListType } from '#store/database/entities';

/** A list that is not among the compiled ones. */
export interface ListText {
  readonly id: number;
  readonly type: ListType;
  /** What people call it. */
  readonly name: string;
  /** Its text on the disk, compressed with zstd; left out: the copy that is kept of it. */
  readonly draft?: { readonly path: string; readonly unpackedBytes: number };
}

export interface SimulationRequest {
  readonly dataDir: string;
  /** The rules as they are, and as they would be. */
  readonly before: PolicyPlan;
  readonly after: PolicyPlan;
  readonly texts: readonly ListText[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Entries of each ranking. */
  readonly top: number;
  /** How long queries are gone through; what the lists take to be read comes on top. */
  readonly limitMs: number;
}

export interface SimulatedDomain {
  readonly domain: string;
  readonly count: number;
  /** The list or the rule that blocks it: then, or now. */
  readonly by: string;
}

interface SimulatedClient {
  readonly ip: string;
  readonly name: string;
  readonly count: number;
}

/** Queries whose verdict would be another one. */
export interface Difference {
  readonly queries: number;
  readonly domains: number;
  readonly clients: number;
  readonly topDomains: readonly SimulatedDomain[];
  readonly topClients: readonly SimulatedClient[];
}

export interface Simulated {
  /** Those that were gone through. */
  readonly queries: number;
  /** Those of them whose name was not recorded. */
  readonly hidden: number;
  readonly blockedBefore: number;
  readonly blockedAfter: number;
  readonly blocked: Difference;
  readonly freed: Difference;
  readonly truncated: boolean;
}

export interface SurveyRequest {
  readonly dataDir: string;
  /** With every list and rule for everybody. */
  readonly plan: PolicyPlan;
  readonly scope: Scope;
  /** By the clock that all threads share. */
  readonly endMs: number;
}

export interface SurveyedList {
  readonly id: number;
  /** Queries whose name it has a rule for. */
  readonly matches: number;
  /** Those of them that no other list of its kind has a rule for. */
  readonly only: number;
  /** Those of them that an allowing rule set free. */
  readonly overridden: number;
  /** Those of them that another list has a rule for too, the largest first. */
  readonly overlaps: readonly { readonly id: number; readonly count: number }[];
}

export interface Surveyed {
  readonly lists: readonly SurveyedList[];
  readonly truncated: boolean;
}

export type SimulateJob =
  | { readonly kind: 'simulate'; readonly request: SimulationRequest }
  | { readonly kind: 'survey'; readonly request: SurveyRequest };

/** What cannot be done says why, to a person. */
export interface Refused {
  readonly problem: string;
  /** It is the history that could not answer. */
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
