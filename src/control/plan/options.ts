// The options of a dns worker: plain data that can be cloned to a thread and written as JSON, because the
// supervisor keeps the latest in memory and the api thread stores them in a file.

import type { EngineOptions, ForwarderOptions } from '#engine';

export interface DnsOptions {
  /** For log lines and tests; higher is newer. */
  readonly version: number;
  /** For all workers together. */
  readonly cacheBytes: number;
  /** Batched UDP, where the system supports it. */
  readonly isBatched: boolean;
  readonly engine: EngineOptions;
  readonly forwarding: ForwarderOptions;
  /**
   * A policy plan as JSON (policy-plan.ts). It has an object for each of thousands of clients; as text it is
   * sent to a thread, and written to disk, ten times as fast.
   */
  readonly policy: string;
  /** The user's own rules, split into several texts, so that a worker need not parse them all at once. */
  readonly rules: readonly string[];
}
