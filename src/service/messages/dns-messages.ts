// What the supervisor and the dns workers say to each other. Everything here is plain data or shared memory;
// sockets are numbers that hold in every thread of the process. What a worker must not lose when it dies lies
// in memory that main has made and hands to its successor.

import type { Explained } from '#engine';
import type { DnsOptions } from '#control/plan';
import type { ExplanationWanted } from '#control/explain';
import type { DnsTraces } from '#history/thread';
import type { DnsSocket } from '#platform/sockets';

/** Shared memory that outlives the worker. */
export interface DnsMemory extends DnsTraces {
  /** By the id of a UDP socket: what was taken from its queue and is not answered yet. */
  readonly blackBoxes: ReadonlyMap<number, SharedArrayBuffer>;
  /** Which reply of an upstream, and which query of a connection, is being worked on. */
  readonly replies: SharedArrayBuffer;
  readonly streams: SharedArrayBuffer;
}

/** What a dns worker is given when it starts. */
export interface DnsThreadData {
  /** From 0 up to but not `workers`. */
  readonly index: number;
  readonly workers: number;
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Counts up while the thread lives. */
  readonly heartbeat: Int32Array;
  /** Which state of the options this is, as in the message `options`. */
  readonly version: number;
  readonly options: DnsOptions;
  readonly snapshot: SharedArrayBuffer | undefined;
  readonly sockets: readonly DnsSocket[];
  readonly memory: DnsMemory;
}

export type ToDns =
  /** To be answered with `applied` once every further query is answered by them. */
  | {
      readonly kind: 'options';
      readonly version: number;
      readonly options: DnsOptions;
      /** Lists compiled anew, by this very process; undefined when they are as they were. */
      readonly snapshot: SharedArrayBuffer | undefined;
    }
  /** The whole list: new ones are to be served, missing ones to be let go; answered with `serving`. */
  | {
      readonly kind: 'sockets';
      readonly reply: number;
      readonly sockets: readonly DnsSocket[];
      readonly blackBoxes: ReadonlyMap<number, SharedArrayBuffer>;
    }
  /** To be answered with `flushed`; without a name everything goes. */
  | { readonly kind: 'flush'; readonly reply: number; readonly name: string | undefined }
  /** To be answered with `explained`. */
  | { readonly kind: 'explain'; readonly reply: number; readonly wanted: ExplanationWanted }
  /** To be answered with `counted` once it can be read in the counters what the cache holds. */
  | { readonly kind: 'count'; readonly reply: number }
  /** The cache is to be written for a successor; to be answered with `saved`. */
  | { readonly kind: 'save' }
  /** To be answered with `stopped` once what is in flight has its answer; nothing more is read. */
  | {
      readonly kind: 'stop';
      /** Whether the cache is to be written; a successor process has its own by then. */
      readonly saves: boolean;
    };

export type FromDns =
  | { readonly kind: 'ready' }
  /** The thread reads from a copy of a descriptor that main holds. */
  | { readonly kind: 'attached'; readonly fd: number; readonly copy: number }
  /** The thread reads from these sockets, by their ids, and from no others. */
  | { readonly kind: 'serving'; readonly reply: number; readonly sockets: readonly number[] }
  | { readonly kind: 'applied'; readonly version: number }
  | { readonly kind: 'flushed'; readonly reply: number; readonly count: number }
  | { readonly kind: 'counted'; readonly reply: number }
  /** Nothing when it has enough to explain already. */
  | { readonly kind: 'explained'; readonly reply: number; readonly explained: Explained | undefined }
  | { readonly kind: 'saved' }
  | { readonly kind: 'notice'; readonly level: 'error' | 'warn' | 'info'; readonly text: string }
  /** The packet that the thread's predecessor died of. */
  | { readonly kind: 'culprit'; readonly hex: string; readonly client: string }
  | { readonly kind: 'stopped' };
