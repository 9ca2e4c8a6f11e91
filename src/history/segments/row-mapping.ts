// What an engine's record means in the words of history: its status, its reply, whether the upstream counts.
// The engine says where an answer came from and which kind of rule spoke; the API's statuses mix the two.

import { noEde } from './rows.ts';
import { Status } from './statuses.ts';

/** Numbers of `Origin` in the engine's record. */
const origins = {
  forwarded: 1,
  cached: 2,
  stale: 3,
  local: 4,
  special: 5,
  blocked: 6,
  blockedByTarget: 7,
  upstreamBlocked: 8,
  failed: 9,
} as const;

const reasons = { exact: 2, regex: 3 } as const;
const replyOther = 10;
const replyLast = 13;

/** Statuses by the kind of rule: of a list, an exact one, a pattern. */
const byName = [Status.gravity, Status.denylist, Status.regex] as const;
const byTarget = [Status.gravityCname, Status.denylistCname, Status.regexCname] as const;

function ofRule(reason: number, [list, exact, regex]: readonly [number, number, number]): number {
  if (reason === reasons.exact) return exact;
  return reason === reasons.regex ? regex : list;
}

const ofOrigin: Readonly<Record<number, number>> = {
  [origins.forwarded]: Status.forwarded,
  [origins.cached]: Status.cache,
  [origins.stale]: Status.cacheStale,
  [origins.local]: Status.cache,
  [origins.special]: Status.specialDomain,
  [origins.failed]: Status.unknown,
};

/** By how the upstream told that it blocks: an address of its own, none, a certain NXDOMAIN, an EDE. */
const ofUpstreamBlock: readonly number[] = [
  Status.externalBlockedNull,
  Status.externalBlockedIp,
  Status.externalBlockedNull,
  Status.externalBlockedNxra,
  Status.externalBlockedEde15,
];

function originOf(how: number): number {
  return how & 0xf;
}

/** `how` is the word of the record: four bits each of origin, upstream's block, verdict and reason. */
function statusOf(how: number): number {
  const origin = originOf(how);
  const reason = (how >>> 12) & 0xf;
  if (origin === origins.blocked) return ofRule(reason, byName);
  if (origin === origins.blockedByTarget) return ofRule(reason, byTarget);
  if (origin === origins.upstreamBlocked)
    return ofUpstreamBlock[(how >>> 4) & 0xf] ?? Status.externalBlockedNull;
  return ofOrigin[origin] ?? Status.unknown;
}

/** A query that failed after it was forwarded counts as forwarded; one that we refused as neither. */
export function refinedStatus(how: number, rcode: number): number {
  const status = statusOf(how);
  const servFail = 2;
  return originOf(how) === origins.failed && rcode === servFail ? Status.forwarded : status;
}

/** The kind of reply has the API's numbers already. */
export function replyOf(replyKind: number): number {
  return replyKind <= replyLast ? replyKind : replyOther;
}

/** A cached answer remembers its upstream, but nobody asked it this time. */
export function countsUpstream(status: number): boolean {
  return status === Status.forwarded || ofUpstreamBlock.includes(status);
}

/** RFC 8914; in the record 0 is none. */
export function edeOf(sizes: number): number {
  return sizes >>> 24 === 0 ? noEde : (sizes >>> 24) - 1;
}
