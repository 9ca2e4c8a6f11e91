// What all parts of the main thread get: the options of the start, and the resources that were opened first.

import type { SettingValue } from '#contract';
import type { Log, LogMemory } from '#platform/log';
import type { PinnedSettings } from '#store/settings';
import type { FolderLock, Libc, UnixListener } from '#platform/sockets';
import type { Inheritance } from './handover/inheritance.ts';

export interface ServeOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly sources: PinnedSettings;
  readonly defaults: ReadonlyMap<string, SettingValue>;
  readonly compileCacheDir: string;
  /** Undefined in a process that has no predecessor. */
  readonly inheritance: Inheritance | undefined;
}

export type ServeEnd =
  | { readonly end: 'stopped' }
  | { readonly end: 'locked' | 'failed'; readonly problem: string };

export interface Supervision extends ServeOptions {
  readonly log: Log;
  /** Holds the newest lines of the log of all threads. */
  readonly logs: LogMemory;
  readonly libc: Libc | undefined;
  readonly lock: FolderLock;
  readonly control: UnixListener | undefined;
}
