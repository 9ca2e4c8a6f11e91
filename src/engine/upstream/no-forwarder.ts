// A forwarder without upstreams: for an engine that only explains how it would answer.

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
