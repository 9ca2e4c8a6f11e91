// What a dns worker is told about how to answer: plain data that can be cloned to a thread and written as
// JSON, because the supervisor keeps the latest in memory and the api thread keeps them in a file.

import type { EngineOptions, ForwarderOptions } from '#engine';

export interface DnsOptions {
  /** Which options these are, for messages and tests; higher is newer. */
  readonly version: number;
  /** For all workers together. */
  readonly cacheBytes: number;
  /** UDP by batches, where the system can do it. */
  readonly isBatched: boolean;
  readonly engine: EngineOptions;
  readonly forwarding: ForwarderOptions;
  /**
   * A plan of the policy as JSON (policy-plan.ts): it has a small object for each of thousands of clients,
   * and a text goes from thread to thread, and to the disk, ten times as fast.
   */
  readonly policy: string;
  /** The user's own rules, some in each text, so that a worker need not read them all at once. */
  readonly rules: readonly string[];
}
