// The names of statuses, replies and DNSSEC states of queries, for the API and for the stored history. The
// number of a name is its index: rows on disk contain these numbers, so a name never changes its place. This
// file has its own door, because the history thread needs the names but not the schemas of the API.

export const queryStatusNames = [
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

export const queryReplyNames = [
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

export const queryDnssecNames = ['UNKNOWN', 'SECURE', 'INSECURE', 'BOGUS', 'ABANDONED', 'TRUNCATED'] as const;
