// The numbers of statuses in stored rows, and what a status means for the sums (blocked, cached, forwarded).
// The contract has the names; a name's index is its number.

import { queryStatusNames } from '#contract/query-names';

export const Status = {
  unknown: 0,
  gravity: 1,
  forwarded: 2,
  cache: 3,
  regex: 4,
  denylist: 5,
  externalBlockedIp: 6,
  externalBlockedNull: 7,
  externalBlockedNxra: 8,
  gravityCname: 9,
  regexCname: 10,
  denylistCname: 11,
  retried: 12,
  retriedDnssec: 13,
  inProgress: 14,
  specialDomain: 16,
  cacheStale: 17,
  externalBlockedEde15: 18,
} as const;

export const StatusClass = { other: 0, blocked: 1, cached: 2, forwarded: 3 } as const;

const permitted: readonly number[] = [Status.unknown, Status.inProgress];
const cached: readonly number[] = [Status.cache, Status.cacheStale];
const forwarded: readonly number[] = [Status.forwarded, Status.retried, Status.retriedDnssec];

function classOf(status: number): number {
  if (permitted.includes(status)) return StatusClass.other;
  if (cached.includes(status)) return StatusClass.cached;
  return forwarded.includes(status) ? StatusClass.forwarded : StatusClass.blocked;
}

/** Indexed by status; an unknown status (of a newer program) counts as other. */
export const classesOfStatuses: Uint8Array = Uint8Array.from({ length: 256 }, (_, status) =>
  status < queryStatusNames.length ? classOf(status) : StatusClass.other,
);

export function isBlocked(status: number): boolean {
  return classesOfStatuses[status] === StatusClass.blocked;
}

/** All statuses of a class, ascending. */
export function statusesOf(statusClass: number): number[] {
  return queryStatusNames
    .map((_, status) => status)
    .filter((status) => classesOfStatuses[status] === statusClass);
}
