// Every limit that a caller can meet, in one place, each tested at its edge. A limit is part of the contract:
// clients plan with it, and a change of one is a change of the product.

export const limits = {
  /** Request line and headers together. */
  headerBytes: 16_384,
  headerCount: 100,
  urlLength: 8_192,
  /** Bodies: of callers who have not proved who they are, of those who have, and of restores. */
  bodyBytesAnonymous: 65_536,
  bodyBytes: 1_048_576,
  bodyBytesRestore: 52_428_800,
  jsonDepth: 32,
  /** Commas and opening brackets in a body: each element takes time, on the thread that answers everybody. */
  jsonElements: 50_000,
  /** How long a client may take to send its headers, and its whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /**
   * How long a connection may lie idle between requests, and nothing may move on it (twice that while a reply
   * waits).
   */
  keepAliveTimeoutMs: 5_000,
  idleSocketTimeoutMs: 30_000,
  /** Over the network: in all, fewer where the process may have few descriptors; and of one client. */
  connections: 2_048,
  connectionsPerClient: 256,
  http2StreamsPerConnection: 100,
  /** Items in one request that names several, and names in one reply's `ignored`. */
  itemsPerRequest: 1_000,
  ignoredNames: 32,
  /** Names in our own certificate: a handshake carries them all. */
  certificateNames: 100,
  /** The largest PEM file that is read; a long chain of RSA certificates takes a tenth of it. */
  pemBytes: 262_144,
  /** Threads that answer DNS. */
  dnsWorkers: 64,
  /** Addresses in one setting that says where to listen. */
  listenAddresses: 32,
  listenTextLength: 4_096,
  nameLength: 255,
  /** A domain or a regular expression. */
  domainTextLength: 4_096,
  /** Characters of regular expressions in one request: compiling takes time. */
  regexTextPerRequest: 65_536,
  commentLength: 4_096,
  entitiesPerCollection: 100_000,
  /** With and without what is below it, of both types, each with extensions of its own. */
  rulesPerName: 1_000,
  /** Each list is fetched, kept and compiled; the longest collections in use have a tenth of this. */
  lists: 1_000,
  /** Characters of the address of a list, and of what names a client. */
  listAddressLength: 2_048,
  clientLength: 255,
  /** Lines that are kept of each log to be shown, and characters of each. */
  logLines: 515,
  logLineLength: 259,
  /** Lists that have metrics of their own: those with the lowest numbers. */
  metricsLists: 200,
  /** Diagnosis messages that are kept; the oldest go first. */
  messages: 1_000,
  clients: 10_000,
  /** Devices that nobody has configured, in one reply. */
  suggestedClients: 2_000,
  /** Entries of each kind in the reply to a search. */
  searchHits: 10_000,
  /** Queries on one page of the log, and queries that may be skipped by number. */
  queriesPerPage: 10_000,
  queriesSkipped: 10_000,
  /** Entries of a ranking. */
  topEntries: 1_000,
  /** Lists that one simulation adds: each is read, and perhaps fetched, while somebody waits. */
  simulatedLists: 10,
  /** Slots of 600 s in one reply: 69 days. */
  historySlots: 10_000,
  appPasswords: 1_000,
  passwordLength: 1_024,
  blockingTimerSeconds: 31_536_000,
  /** Streams of events at one time: in all, of one address, of one session. */
  eventReaders: 1_024,
  eventReadersPerAddress: 64,
  eventReadersPerSession: 16,
  /** Bytes that wait for one reader of events; one that leaves more is dropped. */
  eventBytesWaiting: 262_144,
  /** Bytes of events that are kept for readers who come again; as many again of queries. */
  eventBytesKept: 98_304,
  /** Of one event: what does not fit is left out and counted. */
  eventItems: 200,
  eventBytes: 32_768,
  eventHeartbeatMs: 15_000,
  /** Pauses for groups and clients at one time. */
  pauses: 1_000,
  /** Windows of one group, and of all groups together: time zones take their time. */
  schedulesPerGroup: 20,
  schedules: 1_000,
  timeZoneLength: 64,
  /** Writes that wait for the one before them. */
  waitingChanges: 1_000,
  /** Revisions are dropped by whole changes. */
  revisionDays: 90,
  revisionCount: 10_000,
  /** A change of more items stores one restore point in place of a revision of each. */
  revisionsPerChange: 1_000,
  /** Restore points that can be undone; of older ones only the line in the list stays. */
  restorePoints: 10,
  /** Of one restore point, before it is compressed; a larger change is listed and cannot be undone. */
  restorePointBytes: 67_108_864,
  databaseCopies: 7,
  /** Older copies that are kept beside them, because they hold what may have been lost. */
  sparedCopies: 3,
} as const;
