// What people are shown of an upstream, as plain data that can be sent to the thread which shows it.

import { Rank } from './health.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamStatus {
  readonly index: number;
  readonly text: string;
  readonly state: 'healthy' | 'suspected' | 'down' | 'loop';
  /** Smoothed; -1 before the first reply. */
  readonly rttMs: number;
  readonly queries: number;
  readonly failures: number;
  readonly timeouts: number;
  /** The last reason why it could not be asked; '' when there was none. */
  readonly lastError: string;
}

export const statusOf = (upstream: Upstream): UpstreamStatus => {
  const { index, text, lastError } = upstream;
  const { rttMs, queries, failures, timeouts } = upstream.health;
  return { index, text, state: stateOf(upstream), rttMs, queries, failures, timeouts, lastError };
};

const stateOf = (upstream: Upstream): UpstreamStatus['state'] => {
  if (upstream.isLoop) return 'loop';
  if (upstream.health.rank === Rank.healthy) return 'healthy';
  return upstream.health.rank === Rank.suspected ? 'suspected' : 'down';
};
