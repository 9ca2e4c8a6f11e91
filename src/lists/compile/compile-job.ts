// The jobs of the compile threads and their replies: plain data, and the shared memory of snapshots.

import type { Explained, Inquiry } from '#engine';
import type { RuleReport } from '#policy';
import type { Examined } from '../copies/examine.ts';
import type { FindRequest, FoundRule } from '../search/find-rules.ts';
import type { RegexRule } from '../search/match-regexes.ts';
import type { SearchOutcome, SearchRequest } from '../search/search-copies.ts';
import type { Suspicion } from '../copies/suspicion.ts';

export interface ListToCompile {
  readonly id: number;
  /** For messages. */
  readonly name: string;
  /** Every rule of an allow list allows, also when it is written as a block rule. */
  readonly type: 'block' | 'allow';
  /** Uses this copy, unless it is damaged, instead of the current one. */
  readonly version?: number | undefined;
}

export interface CompileRequest {
  /** The folder of the copies; see list-copies.ts. */
  readonly listsFolder: string;
  readonly snapshotPath: string;
  readonly lists: readonly ListToCompile[];
  /** Lists whose sudden change a person has accepted. */
  readonly accepted: readonly number[];
  /** Memory of an old snapshot that no thread reads any more; it is reused. */
  readonly buffer: SharedArrayBuffer | undefined;
}

/** The result of one list. */
export interface CompiledList {
  readonly id: number;
  /** Of the copy that was compiled; 0 when the list has no usable copy. */
  readonly version: number;
  readonly fetchedMs: number;
  readonly report: RuleReport | undefined;
  /** Entries that occur earlier in the same list. */
  readonly duplicates: number;
  /** Entries above a limit of the snapshot. */
  readonly refused: number;
  /** Number of its damaged copies, which were skipped. */
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
      /** Memory of the whole process, before the build and at its peak. */
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

/** Requests an explanation while no dns worker runs. */
export interface OfflineRequest {
  readonly dataDir: string;
  /** Of the program: the plan of another version is not read. */
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
      /** The user's own rules; the reply says which of them match the text. */
      readonly regexes: readonly RegexRule[];
    };

export interface CompileReplies {
  readonly compile: CompileOutcome;
  /** Why the snapshot file cannot be used; it was renamed in that case. */
  readonly check: { readonly problem: string | undefined };
  readonly examine: Examined;
  readonly find: readonly FoundRule[];
  /** Undefined when there is no plan on disk. */
  readonly explain: { readonly explained: Explained | undefined };
  readonly search: SearchOutcome & { readonly regexIds: readonly number[] };
}
