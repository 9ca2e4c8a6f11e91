// Maps an engine's record to the API's numbers: its status, its reply, whether the upstream counts. The
// engine records separately where an answer came from and which kind of rule decided; an API status combines
// the two.

import { queryReplyNames } from '#contract/query-names';
import { Origin, reasonNumbers } from '#engine';
import { noEde } from './rows.ts';
import { Status } from './statuses.ts';

const replyOther = queryReplyNames.indexOf('OTHER');
const servFail = 2;

/** Statuses by the kind of rule: from a list, exact, regex. */
const byName = [Status.gravity, Status.denylist, Status.regex] as const;
const byTarget = [Status.gravityCname, Status.denylistCname, Status.regexCname] as const;

function ofRule(reason: number, [list, exact, regex]: readonly [number, number, number]): number {
  if (reason === reasonNumbers.exact) return exact;
  return reason === reasonNumbers.regex ? regex : list;
}

const ofOrigin: Readonly<Record<number, number>> = {
  [Origin.forwarded]: Status.forwarded,
  [Origin.cached]: Status.cache,
  [Origin.stale]: Status.cacheStale,
  [Origin.local]: Status.cache,
  [Origin.special]: Status.specialDomain,
  [Origin.failed]: Status.unknown,
};

/**
 * By how the upstream signals a block: unknown, a known address, a null address, a certain NXDOMAIN, an EDE.
 */
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

/** `how` is the word of the record: four bits each for origin, upstream's block, verdict and reason. */
function statusOf(how: number): number {
  const origin = originOf(how);
  const reason = (how >>> 12) & 0xf;
  if (origin === Origin.blocked) return ofRule(reason, byName);
  if (origin === Origin.blockedByTarget) return ofRule(reason, byTarget);
  if (origin === Origin.upstreamBlocked)
    return ofUpstreamBlock[(how >>> 4) & 0xf] ?? Status.externalBlockedNull;
  return ofOrigin[origin] ?? Status.unknown;
}

/** A query that failed after it was forwarded counts as forwarded; one that this service refused does not. */
export function refinedStatus(how: number, rcode: number): number {
  const status = statusOf(how);
  return originOf(how) === Origin.failed && rcode === servFail ? Status.forwarded : status;
}

/** The record already uses the API's numbers. */
export function replyOf(replyKind: number): number {
  return replyKind < queryReplyNames.length ? replyKind : replyOther;
}

/** A cached answer names its upstream, but no query was sent to it. */
export function countsUpstream(status: number): boolean {
  return status === Status.forwarded || ofUpstreamBlock.includes(status);
}

/** RFC 8914; 0 in the record means none. */
export function edeOf(sizes: number): number {
  return sizes >>> 24 === 0 ? noEde : (sizes >>> 24) - 1;
}
