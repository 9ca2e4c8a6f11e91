// The layout of a cached answer in the cache's one block of memory, in 32-bit words from the start of the
// entry. Behind the header stand the lower-cased name, the body (everything of the message that follows the
// question, without OPT) and the offsets of the TTLs in the message. Bytes and no objects: nothing for the
// collector to walk, a hard bound in bytes, and the whole can be written to disk as it is.

export const Entry = {
  /** Whole entry, a multiple of 8. */
  sizeBytes: 0,
  /** The name's hash, the key in the index. */
  hash: 1,
  /** Seconds of the steady clock. */
  storedAt: 2,
  /** From then on the answer is stale. */
  expiresAt: 3,
  /** Type in the low half, `Kept` bits in the high half. */
  key: 4,
  /** Length of the name; from bit 8 on `State` bits. */
  nameAndState: 5,
  /** Bytes of the body, and in the high half the number of TTLs. */
  bodyAndTtls: 6,
  /** Records in the answer section, and in the high half in the authority section. */
  answersAndAuthorities: 7,
  /** Records in the additional section, and in the high half the flags of the header with the rcode. */
  additionalsAndFlags: 8,
  /** How often it was served, and in the high half seconds since storedAt at which a refresh was begun. */
  hits: 9,
  /** What inspection found: the inspector's count of policies ... */
  inspectedIn: 10,
  /** ... the groups it was for, and in the high half the verdict's number. */
  inspectedGroups: 11,
  /** Upstream number + 1, and in the high half the Extended DNS Error + 1. */
  origin: 12,
  /**
   * Offset of the first address in the message (0: there is none); in the high half a byte for its length,
   * then four bits each for the kind of answer and how the upstream blocked.
   */
  addressAndKinds: 13,
} as const;

export const headerWords = 14;
export const headerBytes = headerWords * 4;

/** What changes an answer besides name and type. */
export const Kept = { dnssecOk: 1 << 16, checkingDisabled: 1 << 17 } as const;

export const State = {
  /** Served since the ring's end last came by: gets a second round. */
  used: 1 << 8,
  /** Not found by lookups any more; its space is free when the ring's end comes by. */
  dead: 1 << 9,
  /** Gives away private addresses, see rebinding protection. */
  privateAddresses: 1 << 10,
  /** Has names or addresses that rules may match. */
  hasTargets: 1 << 11,
  /** A failure, kept for seconds only. */
  failure: 1 << 12,
} as const;
