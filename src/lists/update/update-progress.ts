// The progress steps and outcomes of an update. Progress is shown to the user; the outcome of a list is
// stored in the database, with the status numbers of the API.

import type { RuleReport } from '#policy';
import type { ListRights } from '#store/database/entities';

export interface Subscription {
  readonly id: number;
  readonly address: string;
  readonly added_with: ListRights;
}

/** The field `status` of a list in the API. */
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
  /** Why the list is unavailable; '' when it is available. */
  readonly reason: string;
  /** A retry does not help; a person has to fix the problem. */
  readonly needsPerson: boolean;
  /** The list has no right to connect to the address that its name or a redirect leads to. */
  readonly isOutOfReach: boolean;
  /** When the current copy was fetched; 0 without one. */
  readonly fetchedMs: number;
  /** Of the current copy; 0 without one. */
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
