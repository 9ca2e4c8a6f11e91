// What a dns worker is told about how to answer: plain data that can be cloned to a thread and written as
// JSON, because the supervisor keeps the latest in memory and the api thread keeps them in a file.

import type { EngineOptions, ForwarderOptions } from '#engine';
import type { PolicyPlan } from './policy-plan.ts';

export interface DnsOptions {
  /** Which options these are, for messages and tests; higher is newer. */
  readonly version: number;
  /** For all workers together. */
  readonly cacheBytes: number;
  /** UDP by batches, where the system can do it. */
  readonly isBatched: boolean;
  readonly engine: EngineOptions;
  readonly forwarding: ForwarderOptions;
  readonly policy: PolicyPlan;
}
