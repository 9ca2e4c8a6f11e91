// The numbers that the API of history speaks: statuses, replies, DNSSEC states, each by its place, and what a
// status means for the sums (blocked, cached, forwarded). They stand in stored rows, so none may change.

export const statusNames = [
  'UNKNOWN',
  'GRAVITY',
  'FORWARDED',
  'CACHE',
  'REGEX',
  'DENYLIST',
  'EXTERNAL_BLOCKED_IP',
  'EXTERNAL_BLOCKED_NULL',
  'EXTERNAL_BLOCKED_NXRA',
  'GRAVITY_CNAME',
  'REGEX_CNAME',
  'DENYLIST_CNAME',
  'RETRIED',
  'RETRIED_DNSSEC',
  'IN_PROGRESS',
  'DBBUSY',
  'SPECIAL_DOMAIN',
  'CACHE_STALE',
  'EXTERNAL_BLOCKED_EDE15',
] as const;

export const replyNames = [
  'UNKNOWN',
  'NODATA',
  'NXDOMAIN',
  'CNAME',
  'IP',
  'DOMAIN',
  'RRNAME',
  'SERVFAIL',
  'REFUSED',
  'NOTIMP',
  'OTHER',
  'DNSSEC',
  'NONE',
  'BLOB',
] as const;

export const dnssecNames = ['UNKNOWN', 'SECURE', 'INSECURE', 'BOGUS', 'ABANDONED', 'TRUNCATED'] as const;

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

/** By status; a status that is not known (of a newer program) counts as other. */
export const classesOfStatuses: Uint8Array = Uint8Array.from({ length: 256 }, (_, status) =>
  status < statusNames.length ? classOf(status) : StatusClass.other,
);

export function isBlocked(status: number): boolean {
  return classesOfStatuses[status] === StatusClass.blocked;
}

/** All statuses of a class, in their order. */
export function statusesOf(statusClass: number): number[] {
  return statusNames.map((_, status) => status).filter((status) => classesOfStatuses[status] === statusClass);
}
