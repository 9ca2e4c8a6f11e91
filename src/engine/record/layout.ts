// A record of one answered query, as it stands in the ring between a worker and the history thread: a header
// of fixed fields in 32-bit words, then the name's bytes, rounded up to 4; then, where a name that the answer
// leads to was blocked, that name; all rounded up to 8. Numbers only: the writer is on the path of a query,
// and the reader looks up the texts.

export const RecordWord = {
  /** Words 0 and 1: milliseconds of the wall clock, as a double. */
  time: 0,
  sizeBytes: 2,
  durationUs: 3,
  /** Four words, IPv4 as ::ffff:a.b.c.d. */
  client: 4,
  ruleId: 8,
  listId: 9,
  /** Query type in the low half, rcode (12 bits) above it; then `RecordFlag`. */
  typeAndRcode: 10,
  /** Four bits each: origin, how the upstream blocked, verdict, reason; in the high half upstream + 1. */
  how: 11,
  /**
   * A byte: length of the name; four bits each: transport, DNSSEC state, kind of reply, length of the address
   * / 4; a byte: Extended DNS Error (RFC 8914) + 1, 0 for none.
   */
  sizes: 12,
  /** TTL of the answer in seconds. */
  ttlSeconds: 13,
  /** Four words: the first address of the answer. */
  address: 14,
} as const;

const recordHeaderWords = 18;
export const recordHeaderBytes = recordHeaderWords * 4;
/** Header, two of the longest names, and rounding. */
export const maxRecordBytes = (recordHeaderBytes + 256 + 255 + 7) & ~7;

/** In the word of type and rcode. */
export const RecordFlag = {
  /** Two bits: what the groups of the client want to be hidden of it, 0 to 3. */
  privacyShift: 28,
  /** A second name follows the first. */
  hasTarget: 1 << 30,
} as const;

/** Extended DNS Errors beyond are for private use, and not recorded. */
export const maxEdeCode = 254;

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

/** In the order of their numbers, from 1. */
// The keys of the object above.
export const originNames = Object.keys(Origin) as readonly (keyof typeof Origin)[];

export const verdictNumbers = { pass: 0, allow: 1, block: 2, local: 3 } as const;
export const reasonNumbers = { none: 0, list: 1, exact: 2, regex: 3, special: 4, setting: 5 } as const;
/** The numbers of the history API. Those that need validation will come with it. */
export const Dnssec = { unknown: 0, secure: 1, insecure: 2, bogus: 3 } as const;
