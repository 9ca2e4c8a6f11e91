// What the parts of the main thread are given: how the program was started, and what was opened before
// anything else.

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
  /** What a predecessor left; nothing in a process that was started by hand. */
  readonly inheritance: Inheritance | undefined;
}

export type ServeEnd =
  | { readonly end: 'stopped' }
  | { readonly end: 'locked' | 'failed'; readonly problem: string };

export interface Supervision extends ServeOptions {
  readonly log: Log;
  /** Where the newest lines of the log are kept, for all threads. */
  readonly logs: LogMemory;
  readonly libc: Libc | undefined;
  readonly lock: FolderLock;
  readonly control: UnixListener | undefined;
}
