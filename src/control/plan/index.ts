// The door of the plan: what the dns workers have to know, made from settings, rules and machine.

export { apiUrls } from './api-urls.ts';
export { ClientIdentifier } from './client-identifier.ts';
export { type DnsApplied, type DnsPlan, readPlan, writePlan } from './dns-plan.ts';
export { type Members, membersOf } from './group-members.ts';
export type { DnsOptions } from './options.ts';
export { PlanPublisher } from './plan-publisher.ts';
export { makePolicyPlan, nextEndSeconds, readPolicyPlan } from './policy-plan.ts';
export { type DnsSums, DnsTraceReader } from './trace-reader.ts';
export { privacyOf, WorkerPolicy } from './worker-policy.ts';
