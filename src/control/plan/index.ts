// The door of the plan: what the dns workers have to know, made from settings, rules and machine. What a dns
// worker itself needs has doors of its own, which do not load the database.

export { apiUrls } from './api-urls.ts';
export { type DnsApplied, type DnsPlan, readPlan, writePlan } from './dns-plan.ts';
export { type Members, membersOf } from './group-members.ts';
export type { DnsOptions } from './options.ts';
export { PlanPublisher } from './plan-publisher.ts';
export { makePolicyPlan, nextEndSeconds } from './policy-plan.ts';
export { type DnsSums, DnsTraceReader } from './trace-reader.ts';
