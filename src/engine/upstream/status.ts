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
}

export const statusOf = (upstream: Upstream): UpstreamStatus => {
  const { rttMs, queries, failures, timeouts } = upstream.health;
  return {
    index: upstream.index,
    text: upstream.text,
    state: stateOf(upstream),
    rttMs,
    queries,
    failures,
    timeouts,
  };
};

const stateOf = (upstream: Upstream): UpstreamStatus['state'] => {
  if (upstream.isLoop) return 'loop';
  if (upstream.health.rank === Rank.healthy) return 'healthy';
  return upstream.health.rank === Rank.suspected ? 'suspected' : 'down';
};
