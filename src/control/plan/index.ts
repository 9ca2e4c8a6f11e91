// The door of the plan: everything the dns workers need to know, built from settings, rules and machine. Dns
// workers use other doors, which do not load the database.

export { apiUrls } from './api-urls.ts';
export { type DnsApplied, type DnsPlan, readPlan, writePlan } from './dns-plan.ts';
export { type Members, membersOf } from './group-members.ts';
export type { DnsOptions } from './options.ts';
export { PlanPublisher } from './plan-publisher.ts';
export { buildPolicyPlan, nextEndSeconds } from './policy-plan.ts';
export { DnsTraceReader } from './trace-reader.ts';
