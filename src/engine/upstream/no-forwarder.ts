// Upstreams that are not there: for an engine that answers nobody and only tells how it would.

import type { UpstreamForwarder } from './forwarder.ts';

export const noForwarder: UpstreamForwarder = {
  forward: (_question, outcome) => outcome.onFailure('no upstream', -1),
  inFlight: 0,
  tick: () => undefined,
  close: () => undefined,
  setOptions: () => undefined,
  isRouted: () => false,
  isLoopProbe: () => false,
  loopAnswer: () => undefined,
  upstreamText: () => '',
  status: () => [],
  choiceFor: () => ({ isRouted: false, mode: 'strict', upstreams: [] }),
};
