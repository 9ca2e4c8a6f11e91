// Messages between the supervisor and the dns workers: plain data and shared memory. Sockets are file
// descriptors, which are valid in every thread of the process. State that must survive a worker lies in
// memory that main allocates and passes to the next worker.

import type { Explained } from '#engine';
import type { DnsOptions } from '#control/plan';
import type { ExplanationWanted } from '#control/explain';
import type { DnsTraces } from '#history/thread';
import type { DnsSocket } from '#platform/sockets';

/** Shared memory that outlives the worker. */
export interface DnsMemory extends DnsTraces {
  /** By the id of a UDP socket: queries that were read from its queue and are not answered yet. */
  readonly blackBoxes: ReadonlyMap<number, SharedArrayBuffer>;
  /** The upstream reply, and the query of a connection, that the worker is processing. */
  readonly replies: SharedArrayBuffer;
  readonly streams: SharedArrayBuffer;
}

/** What a dns worker gets when it starts. */
export interface DnsThreadData {
  /** From 0 to `workers` - 1. */
  readonly index: number;
  readonly workers: number;
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Incremented by the thread while it runs. */
  readonly heartbeat: Int32Array;
  /** The version of the options, as in the message `options`. */
  readonly version: number;
  readonly options: DnsOptions;
  readonly snapshot: SharedArrayBuffer | undefined;
  readonly sockets: readonly DnsSocket[];
  readonly memory: DnsMemory;
}

export type ToDns =
  /** The reply is `applied`, once every new query is answered by these options. */
  | {
      readonly kind: 'options';
      readonly version: number;
      readonly options: DnsOptions;
      /** Newly compiled lists; undefined when they have not changed. */
      readonly snapshot: SharedArrayBuffer | undefined;
    }
  /** All sockets to serve: the worker attaches new ones and closes missing ones; the reply is `serving`. */
  | {
      readonly kind: 'sockets';
      readonly requestId: number;
      readonly sockets: readonly DnsSocket[];
      readonly blackBoxes: ReadonlyMap<number, SharedArrayBuffer>;
    }
  /** The reply is `flushed`; without a name the whole cache is emptied. */
  | { readonly kind: 'flush'; readonly requestId: number; readonly name: string | undefined }
  /** The reply is `explained`. */
  | { readonly kind: 'explain'; readonly requestId: number; readonly wanted: ExplanationWanted }
  /** The reply is `counted`, once the counters show the size of the cache. */
  | { readonly kind: 'count'; readonly requestId: number }
  /** Writes the cache for a successor process; the reply is `saved`. */
  | { readonly kind: 'save' }
  /** Stops reading; the reply is `stopped`, once the queries in flight are answered. */
  | {
      readonly kind: 'stop';
      /** Whether to write the cache; not after a handover, when the successor process has its own. */
      readonly saves: boolean;
    };

export type FromDns =
  | { readonly kind: 'ready' }
  /** The worker reads from this copy of a descriptor of main. */
  | { readonly kind: 'attached'; readonly fd: number; readonly copy: number }
  /** The ids of all sockets that the worker reads from. */
  | { readonly kind: 'serving'; readonly requestId: number; readonly sockets: readonly number[] }
  | { readonly kind: 'applied'; readonly version: number }
  | { readonly kind: 'flushed'; readonly requestId: number; readonly count: number }
  | { readonly kind: 'counted'; readonly requestId: number }
  /** Undefined when the worker has too many explanations under way. */
  | { readonly kind: 'explained'; readonly requestId: number; readonly explained: Explained | undefined }
  | { readonly kind: 'saved' }
  | { readonly kind: 'notice'; readonly level: 'error' | 'warn' | 'info'; readonly text: string }
  /** The packet that crashed the previous worker. */
  | { readonly kind: 'culprit'; readonly hex: string; readonly client: string }
  | { readonly kind: 'stopped' };
