// The door of health: current degradations by part, and the sources that detect them.

export { CostlyExpressions } from './costly-expressions.ts';
export { type Degradation, Degradations } from './degradations.ts';
export { DnsHealth } from './dns-health.ts';
export { otherPortAdvice, type PortFinding, portFindings, portProblems } from './port-problems.ts';
export { createHolderNamer } from './port-holders.ts';
export { ThreadHealth } from './thread-health.ts';
export { unreadableCollections } from './unreadable.ts';
export { upstreamProblem, upstreamStates, type UpstreamState } from './upstream-health.ts';
