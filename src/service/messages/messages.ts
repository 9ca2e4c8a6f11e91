// Messages between the supervisor and the api thread: plain data that can be cloned from one thread to
// another. Sockets are file descriptors, which are valid in every thread of the process. A request has an id,
// and its reply repeats it.

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
export type WebSetting = 'web.http' | 'web.https';

/** What the api thread gets when it starts. */
export interface ApiThreadData {
  readonly dataDir: string;
  readonly version: string;
  readonly pinned: ReadonlyMap<string, Pinned>;
  readonly defaults: ReadonlyMap<string, SettingValue>;
  readonly control: UnixListener | undefined;
  /** The sockets that are open already; none at the first start of the program. */
  readonly listening: Listening;
  /** Whether an earlier api thread of this process has printed the start screen. */
  readonly isScreenShown: boolean;
  readonly threads: readonly ThreadStatus[];
  readonly dnsMemory: readonly DnsTraces[];
  readonly startedMs: number;
  /** Incremented by the thread while it runs. */
  readonly heartbeat: Int32Array;
  readonly compileCacheDir: string;
  /** Holds the newest lines of the log. */
  readonly logs: LogMemory;
}

export type ToApi =
  /** Without a request id: the sockets have changed. */
  | { readonly kind: 'listening'; readonly requestId: number | undefined; readonly outcome: ListenOutcome }
  | { readonly kind: 'applied'; readonly requestId: number; readonly outcome: DnsApplied }
  | { readonly kind: 'restarted'; readonly requestId: number; readonly outcome: RestartOutcome }
  | { readonly kind: 'explained'; readonly requestId: number; readonly outcome: ExplanationOutcome }
  | {
      readonly kind: 'threads';
      readonly threads: readonly ThreadStatus[];
      readonly dnsMemory: readonly DnsTraces[];
    }
  /** A history thread is ready; requests to it go over this connection. */
  | { readonly kind: 'history'; readonly connection: HistoryLine }
  /** The reply is `closed`, once everything that a successor needs is released. */
  | { readonly kind: 'hand over' }
  /** The reply is `stopped`. */
  | { readonly kind: 'stop' };

export type FromApi =
  | {
      readonly kind: 'listen';
      readonly requestId: number;
      readonly setting: ListenSetting;
      readonly text: string;
      readonly occasion: ListenOccasion;
    }
  /** The thread serves on this copy of a listening descriptor. */
  | { readonly kind: 'attached'; readonly listener: Listener; readonly copy: number }
  /** A new plan; the reply is `applied`, once all dns workers answer by it. */
  | {
      readonly kind: 'dns';
      readonly requestId: number;
      readonly plan: DnsPlan;
      /** Undefined: the compiled lists have not changed. */
      readonly snapshot: SharedArrayBuffer | undefined;
    }
  | { readonly kind: 'flush'; readonly requestId: number; readonly name: string | undefined }
  /** The dns workers count the entries of their caches; the reply is `applied`. */
  | { readonly kind: 'count'; readonly requestId: number }
  | { readonly kind: 'explain'; readonly requestId: number; readonly wanted: ExplanationWanted }
  | { readonly kind: 'restart'; readonly requestId: number }
  /** A caller needs the history; `history` follows when its thread is ready. */
  | { readonly kind: 'history' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'screen shown' }
  /** The databases are closed and no connection is accepted; requests for the restart still wait. */
  | { readonly kind: 'closed' }
  /** The database cannot be opened; the thread retries. */
  | { readonly kind: 'database-unavailable'; readonly problem: string }
  /** A migration of the database begins: it may stop the heartbeat for minutes. */
  | { readonly kind: 'migrating'; readonly name: string }
  /** Asks to be replaced: a problem of the start is over, and a new thread would start without it. */
  | { readonly kind: 'renew'; readonly reason: string }
  | { readonly kind: 'stopped' };

/**
 * `change`: opens all addresses or none. `start`: opens the addresses that it can, and retries the others.
 * `start with fallback`: as `start`, and opens another port until a retry succeeds.
 */
export type ListenOccasion = 'start with fallback' | 'start' | 'change';
export type ListenSetting = WebSetting | 'dns.listen';

export type ListenOutcome =
  | { readonly ok: true; readonly listening: Listening }
  | { readonly ok: false; readonly problem: string; readonly listening: Listening };
