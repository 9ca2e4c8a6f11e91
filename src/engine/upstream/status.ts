// The status of an upstream for display: plain data that can be sent between threads.

import type { ExchangeUpstream, Mode } from './exchange.ts';
import { Rank } from './health.ts';

export interface UpstreamStatus {
  readonly index: number;
  readonly text: string;
  readonly state: 'healthy' | 'suspected' | 'down' | 'loop';
  /** Smoothed; -1 before the first reply. */
  readonly rttMs: number;
  readonly queries: number;
  readonly failures: number;
  readonly timeouts: number;
  /** How many round trips were measured, and their sum. */
  readonly measured: number;
  readonly measuredMs: number;
  /** When the last good reply came, and when it failed last, by the clock of its worker; -Infinity: never. */
  readonly goodMs: number;
  readonly failedMs: number;
  /** The last reason why it could not be asked; '' when there was none. */
  readonly lastError: string;
}

/** Which upstreams are asked for a name. */
export interface UpstreamChoice {
  /** The name has upstreams of its own. */
  readonly isRouted: boolean;
  readonly mode: Mode;
  /** In the order in which they would be asked now; the fallbacks last. */
  readonly upstreams: readonly UpstreamStatus[];
}

export function statusOf(upstream: ExchangeUpstream): UpstreamStatus {
  const { index, lastError } = upstream;
  const { text } = upstream.address;
  const { rttMs, queries, failures, timeouts, measured, measuredMs, goodMs, failedMs } = upstream.health;
  const counts = { queries, failures, timeouts, measured, measuredMs };
  return { index, text, state: stateOf(upstream), rttMs, ...counts, goodMs, failedMs, lastError };
}

function stateOf(upstream: ExchangeUpstream): UpstreamStatus['state'] {
  if (upstream.isLoop) return 'loop';
  if (upstream.health.rank === Rank.healthy) return 'healthy';
  return upstream.health.rank === Rank.suspected ? 'suspected' : 'down';
}
