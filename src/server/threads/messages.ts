// What the supervisor and the api thread say to each other. Everything here is plain data that can be cloned
// from one thread to another; sockets are numbers that hold in every thread of the process.

import type { ReplyBody, SettingValue } from '#contract';
import type { Listener, TcpListener, UnixListener } from '../sockets/listener.ts';
import type { Pinned } from '../settings/sources.ts';

/** The settings that say where the api thread listens. */
type WebSetting = 'web.http' | 'web.https';

export interface OpenListener {
  readonly setting: string;
  readonly listener: TcpListener;
}

/** An address that a setting asks for and that could not be opened. */
export interface ClosedListener {
  readonly setting: string;
  readonly address: string;
  readonly port: number;
  readonly problem: string;
}

export interface Listening {
  readonly open: readonly OpenListener[];
  readonly closed: readonly ClosedListener[];
}

export interface ThreadStatus {
  readonly name: string;
  readonly state: 'starting' | 'running' | 'waiting' | 'stopping';
  readonly restarts: number;
  readonly lastFailure: string | undefined;
}

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
  readonly startedMs: number;
  /** Counts up while the thread lives. */
  readonly heartbeat: Int32Array;
  readonly compileCacheDir: string;
}

export type ToApi =
  | { readonly kind: 'listening'; readonly reply: number | undefined; readonly outcome: ListenOutcome }
  | { readonly kind: 'threads'; readonly threads: readonly ThreadStatus[] }
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
  | { readonly kind: 'ready' }
  | { readonly kind: 'hopeless'; readonly problem: string }
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

export type ServiceStatus = ReplyBody<'getStatus', 200>['status'];
