// What the supervisor and the api thread say to each other. Everything here is plain data that can be cloned
// from one thread to another; sockets are numbers that hold in every thread of the process.

import type { SettingValue } from '#contract';
import type { ExplanationOutcome, ExplanationWanted } from '#control/explain';
import type { RestartOutcome } from '#api/handlers';
import type { LogMemory } from '#platform/log';
import type { Pinned } from '#store/settings';
import type { Listener, Listening, UnixListener } from '#platform/sockets';
import type { DnsApplied, DnsPlan } from '#control/plan';
import type { DnsTraces, HistoryLine } from '#history/thread';
import type { ThreadStatus } from '#platform/threads';

/** The settings that say where the api thread listens. */
type WebSetting = 'web.http' | 'web.https';

/** What the api thread is given when it starts. */
export interface ApiThreadData {
  readonly dataDir: string;
  readonly version: string;
  readonly pinned: ReadonlyMap<string, Pinned>;
  readonly defaults: ReadonlyMap<string, SettingValue>;
  readonly control: UnixListener | undefined;
  /** What is open already; nothing at the first start of the program. */
  readonly listening: Listening;
  readonly threads: readonly ThreadStatus[];
  readonly dnsMemory: readonly DnsTraces[];
  readonly startedMs: number;
  /** Counts up while the thread lives. */
  readonly heartbeat: Int32Array;
  readonly compileCacheDir: string;
  /** Where the newest lines of the log are kept. */
  readonly logs: LogMemory;
}

export type ToApi =
  | { readonly kind: 'listening'; readonly reply: number | undefined; readonly outcome: ListenOutcome }
  | { readonly kind: 'applied'; readonly reply: number; readonly outcome: DnsApplied }
  | { readonly kind: 'restarted'; readonly reply: number; readonly outcome: RestartOutcome }
  | { readonly kind: 'explained'; readonly reply: number; readonly outcome: ExplanationOutcome }
  | {
      readonly kind: 'threads';
      readonly threads: readonly ThreadStatus[];
      readonly dnsMemory: readonly DnsTraces[];
    }
  /** A history thread is there to be asked. */
  | { readonly kind: 'history'; readonly line: HistoryLine }
  /** To be answered with `closed` once everything that a successor needs is let go. */
  | { readonly kind: 'hand over' }
  /** To be answered with `stopped`. */
  | { readonly kind: 'stop' };

export type FromApi =
  | {
      readonly kind: 'listen';
      readonly reply: number;
      readonly setting: ListenSetting;
      readonly text: string;
      /**
       * `change`: all or nothing. `start`: what can be opened is, the rest is tried again later.
       * `first start`: as `start`, and a port that cannot be had is replaced.
       */
      readonly occasion: ListenOccasion;
    }
  /** The thread serves on this copy of a listening descriptor. */
  | { readonly kind: 'attached'; readonly listener: Listener; readonly copy: number }
  /** How queries are to be answered from now on; answered with `applied` once all workers do. */
  | {
      readonly kind: 'dns';
      readonly reply: number;
      readonly plan: DnsPlan;
      /** Nothing: the compiled lists stay what they are. */
      readonly snapshot: SharedArrayBuffer | undefined;
    }
  | { readonly kind: 'flush'; readonly reply: number; readonly name: string | undefined }
  /** The workers are to count what their caches hold; answered with `applied`. */
  | { readonly kind: 'count'; readonly reply: number }
  | { readonly kind: 'explain'; readonly reply: number; readonly wanted: ExplanationWanted }
  | { readonly kind: 'restart'; readonly reply: number }
  /** Somebody asks for what is remembered; answered with `history` when it can be asked. */
  | { readonly kind: 'history' }
  | { readonly kind: 'ready' }
  /** Databases are closed, nothing is accepted; whoever waits for the restart still gets a reply. */
  | { readonly kind: 'closed' }
  /** The database cannot be opened. It is tried again and again, as long as the thread lives. */
  | { readonly kind: 'database-unavailable'; readonly problem: string }
  /** A migration of the database begins: it may keep the thread from every sign of life for minutes. */
  | { readonly kind: 'migrating'; readonly name: string }
  /** Another thread would do better now: what stood in the way at the start is gone. */
  | { readonly kind: 'renew'; readonly reason: string }
  | { readonly kind: 'stopped' };

export type ListenOccasion = 'first start' | 'start' | 'change';
export type ListenSetting = WebSetting | 'dns.listen';

export type ListenOutcome =
  | {
      readonly ok: true;
      readonly listening: Listening;
      /** What the setting should say from now on, when a port was replaced. */
      readonly replaced: string | undefined;
    }
  | { readonly ok: false; readonly problem: string; readonly listening: Listening };
