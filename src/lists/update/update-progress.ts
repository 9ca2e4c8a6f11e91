// What an update tells while it goes, and at its end. Progress is for people who watch; the outcome of a list
// is what the database keeps, with the status numbers of the API.

import type { RuleReport } from '#policy';
import type { ListRights } from '#store/database/entities';

export interface Subscription {
  readonly id: number;
  readonly address: string;
  readonly added_with: ListRights;
}

/** As `status` of a list in the API. */
export const ListStatus = {
  notProcessed: 0,
  downloaded: 1,
  unchanged: 2,
  unavailableWithCopy: 3,
  unavailable: 4,
} as const;

type ListStatusNumber = (typeof ListStatus)[keyof typeof ListStatus];

export interface ListOutcome {
  readonly listId: number;
  readonly status: ListStatusNumber;
  /** Why it is not available; '' when it is. */
  readonly reason: string;
  /** Whether trying again does not help until a person does something about it. */
  readonly needsPerson: boolean;
  /** Whether it may not reach the address that it leads to. */
  readonly isOutOfReach: boolean;
  /** When the copy in force came; 0 without one. */
  readonly fetchedMs: number;
  /** Of the copy in force; 0 without one. */
  readonly version: number;
  readonly report: RuleReport | undefined;
}

export type UpdateProgress =
  | { readonly step: 'fetching'; readonly listId: number; readonly address: string }
  | {
      readonly step: 'retrying';
      readonly listId: number;
      readonly attempt: number;
      readonly waitMs: number;
      readonly reason: string;
    }
  | { readonly step: 'examining'; readonly listId: number; readonly unpackedBytes: number }
  | { readonly step: 'finished'; readonly listId: number; readonly outcome: ListOutcome }
  | { readonly step: 'compiling'; readonly lists: number }
  | { readonly step: 'deploying'; readonly names: number }
  | { readonly step: 'compiled'; readonly names: number; readonly problem: string | undefined };

export type OnProgress = (progress: UpdateProgress) => void;
