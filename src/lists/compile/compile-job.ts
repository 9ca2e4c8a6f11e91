// What the compile thread is asked and what it answers: plain data, and the shared memory of snapshots. A
// thread does one job and ends, and takes along whatever memory the job needed.

import type { Explained, Inquiry } from '#engine';
import type { RuleReport } from '#policy';
import type { Examined } from '../copies/examine.ts';
import type { FindRequest, FoundRule } from '../search/find-rules.ts';
import type { RegexRule } from '../search/match-regexes.ts';
import type { SearchOutcome, SearchRequest } from '../search/search-copies.ts';
import type { Suspicion } from '../copies/suspicion.ts';

export interface ListToCompile {
  readonly id: number;
  /** What messages call it. */
  readonly name: string;
  /** Every rule of an allow list allows, whatever it says. */
  readonly type: 'block' | 'allow';
  /** Takes this copy, if it is whole, instead of the current one. */
  readonly version?: number | undefined;
}

export interface CompileRequest {
  /** Where the copies lie; see list-copies.ts. */
  readonly listsFolder: string;
  readonly snapshotPath: string;
  readonly lists: readonly ListToCompile[];
  /** Lists whose sudden change a person has accepted. */
  readonly accepted: readonly number[];
  /** Of a snapshot that nobody reads any more; it is overwritten. */
  readonly buffer: SharedArrayBuffer | undefined;
}

/** What came of one list. */
export interface CompiledList {
  readonly id: number;
  /** Of the copy that was taken; 0 when there is none, and then there is nothing else either. */
  readonly version: number;
  readonly fetchedMs: number;
  readonly report: RuleReport | undefined;
  /** Entries that the same list had said before. */
  readonly duplicates: number;
  /** Entries past a limit of the snapshot. */
  readonly refused: number;
  /** Copies of it that were found damaged and put aside; an older one was taken then. */
  readonly damaged: number;
}

export type CompileOutcome =
  | {
      readonly kind: 'built';
      readonly buffer: SharedArrayBuffer;
      readonly names: number;
      readonly snapshotBytes: number;
      readonly lists: readonly CompiledList[];
      readonly tookMs: number;
      /** Of the whole process, before and at the most. */
      readonly memoryBeforeBytes: number;
      readonly memoryPeakBytes: number;
    }
  | {
      readonly kind: 'held';
      readonly reason: string;
      readonly suspicions: readonly Suspicion[];
      readonly lists: readonly CompiledList[];
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** An explanation while no dns worker runs. */
export interface OfflineRequest {
  readonly dataDir: string;
  /** Of the program: a plan of another one is not read. */
  readonly version: string;
  readonly inquiry: Inquiry;
}

export type ExplainOffline = (request: OfflineRequest) => Promise<Explained | undefined>;

export type CompileJob =
  | { readonly kind: 'compile'; readonly request: CompileRequest }
  | { readonly kind: 'check'; readonly snapshotPath: string }
  | { readonly kind: 'examine'; readonly draftPath: string; readonly unpackedBytes: number }
  | { readonly kind: 'find'; readonly request: FindRequest }
  | { readonly kind: 'explain'; readonly request: OfflineRequest }
  | {
      readonly kind: 'search';
      readonly request: SearchRequest;
      /** The user's own, to be tried on the text. */
      readonly regexes: readonly RegexRule[];
    };

export interface CompileReplies {
  readonly compile: CompileOutcome;
  /** Why what is on the disk cannot be used; it was put aside then. */
  readonly check: { readonly problem: string | undefined };
  readonly examine: Examined;
  readonly find: readonly FoundRule[];
  /** Nothing when there is no plan on the disk. */
  readonly explain: { readonly explained: Explained | undefined };
  readonly search: SearchOutcome & { readonly regexIds: readonly number[] };
}
