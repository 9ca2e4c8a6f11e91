// A record of one answered query, as it stands in the ring between a worker and whoever keeps history: a
// header of fixed fields in 32-bit words, then the name's bytes, rounded up to 8. Numbers only: the writer is
// on the path of a query, and texts are looked up by those who read.

export const RecordWord = {
  /** Words 0 and 1: milliseconds of the wall clock, as a double. */
  time: 0,
  sizeBytes: 2,
  durationUs: 3,
  /** Four words, IPv4 as ::ffff:a.b.c.d. */
  client: 4,
  ruleId: 8,
  listId: 9,
  /** Query type in the low half, rcode (12 bits) above it. */
  typeAndRcode: 10,
  /** A byte each: origin, verdict and reason; in the high half upstream + 1. */
  how: 11,
  /** A byte each: length of the name, transport and DNSSEC state, kind of reply, length of the address. */
  sizes: 12,
  /** TTL of the answer in seconds. */
  ttlSeconds: 13,
  /** Four words: the first address of the answer. */
  address: 14,
} as const;

const recordHeaderWords = 18;
export const recordHeaderBytes = recordHeaderWords * 4;
/** Header, the longest name, and rounding. */
export const largestRecordBytes = (recordHeaderBytes + 255 + 7) & ~7;

/** Where an answer came from. */
export const Origin = {
  forwarded: 1,
  cached: 2,
  stale: 3,
  local: 4,
  special: 5,
  blocked: 6,
  /** Blocked because of a name or address that the answer leads to. */
  blockedByTarget: 7,
  /** The upstream said that it blocks. */
  upstreamBlocked: 8,
  failed: 9,
} as const;

export const verdictNumbers = { pass: 0, allow: 1, block: 2, local: 3 } as const;
export const reasonNumbers = { none: 0, list: 1, exact: 2, regex: 3, special: 4, setting: 5 } as const;
export const transportNumbers = { udp: 0, tcp: 1, tls: 2, https: 3 } as const;
/** Numbers that the API of history speaks; those that need validation come with it. */
export const Dnssec = { unknown: 0, secure: 1, insecure: 2, bogus: 3 } as const;
