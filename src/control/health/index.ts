// The door of health: current degradations by part, and the sources that detect them.

export { CostlyExpressions } from './costly-expressions.ts';
export { type Degradation, Degradations } from './degradations.ts';
export { DnsHealth } from './dns-health.ts';
export { ThreadHealth } from './thread-health.ts';
export { unreadableCollections } from './unreadable.ts';
export { upstreamProblem } from './upstream-health.ts';
