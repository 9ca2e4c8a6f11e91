// Every limit that a caller can reach, in one place, each tested at its edge. A limit is part of the
// contract: clients rely on it, and changing one changes the product.

export const limits = {
  /** Request line and headers together. */
  headerBytes: 16_384,
  headerCount: 100,
  urlLength: 8_192,
  /** Bodies: of callers without a credential, with one, and of restores. */
  bodyBytesAnonymous: 65_536,
  bodyBytes: 1_048_576,
  bodyBytesRestore: 52_428_800,
  jsonDepth: 32,
  /**
   * Commas and opening brackets in a body: each element takes time on the thread that answers all requests.
   */
  jsonElements: 50_000,
  /** How long a client may take to send its headers, and its whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /**
   * How long a connection may be idle between requests, and how long no byte may move on it (twice as long
   * while a reply waits).
   */
  keepAliveTimeoutMs: 5_000,
  idleSocketTimeoutMs: 30_000,
  /** Over the network: in total (fewer if the process may have few descriptors), and per client. */
  connections: 2_048,
  connectionsPerClient: 256,
  http2StreamsPerConnection: 100,
  /** Shorter replies are never compressed; more at once than this are sent as they are. */
  minCompressedLength: 16_384,
  maxCompressions: 2,
  /** Items in one batch request, and names in one reply's `ignored`. */
  itemsPerRequest: 1_000,
  ignoredNames: 32,
  /** Names in the self-issued certificate: every handshake contains all of them. */
  certificateNames: 100,
  /** The largest PEM file that is read; a long chain of RSA certificates takes a tenth of it. */
  pemBytes: 262_144,
  /** Threads that answer DNS. */
  dnsWorkers: 64,
  /** Addresses in one listen setting. */
  listenAddresses: 32,
  listenTextLength: 4_096,
  /** Local addresses that DNS sockets are opened on; the others are reported. */
  dnsAddresses: 256,
  /** Connections of DNS over streams, of all workers together. */
  dnsConnections: 512,
  /** Characters of one value of a setting, and entries of a list of values. */
  settingLength: 4_096,
  settingEntries: 10_000,
  /** Days that queries can be kept. */
  historyDays: 36_500,
  /** Too long to be guessed over the network, so failed attempts need not be counted. */
  minMetricsTokenLength: 16,
  metricsTokenLength: 512,
  nameLength: 255,
  /** A domain or a regular expression. */
  domainTextLength: 4_096,
  /** Characters of regular expressions in one request: compiling takes time. */
  regexTextPerRequest: 65_536,
  commentLength: 4_096,
  entitiesPerCollection: 100_000,
  /** Rules for one name: exact or including subdomains, of both types, each with its own extensions. */
  rulesPerName: 1_000,
  /** Clients that all own rules name together; rules with the same `;client=` count once. */
  maxRuleClients: 2_000,
  /** Each list is fetched, stored and compiled; the largest known collections have a tenth of this. */
  lists: 1_000,
  /** Characters of a list's address, and of a client's identifier. */
  listAddressLength: 2_048,
  clientLength: 255,
  /** A list as transferred, compressed or not, and after decompression; the largest have a tenth of this. */
  listBytesPacked: 268_435_456,
  listBytesUnpacked: 536_870_912,
  /** Of one download. */
  listRedirects: 5,
  listConnectMs: 10_000,
  listSilenceMs: 30_000,
  listFetchMs: 600_000,
  /** A list that loses more than this part, or grows to more than this multiple, is held back. */
  listLostPercent: 30,
  listGrowth: 2,
  /** Lines of each log that are kept for the API, and characters of each. */
  logLines: 515,
  logLineLength: 259,
  /** Lists with their own metrics: those with the lowest ids. */
  metricsLists: 200,
  /** Diagnosis messages that are kept; the oldest are dropped first. */
  messages: 1_000,
  clients: 10_000,
  /** Devices that are not configured, in one reply. */
  suggestedClients: 2_000,
  /** Entries of each kind in the reply to a search. */
  searchHits: 10_000,
  /** Queries on one page of the log, and queries that `start` may skip. */
  queriesPerPage: 10_000,
  queriesSkipped: 10_000,
  /** Columns that a caller can describe in the parameters of DataTables. */
  queryColumns: 16,
  /** New queries that `sluice queries --follow` prints at once; a notice replaces the older ones. */
  queriesFollowed: 1_000,
  /** Entries of a ranking. */
  topEntries: 1_000,
  /** Lists that one simulation adds: each is read, and possibly fetched, while the caller waits. */
  simulatedLists: 10,
  /** Different names of stored queries that one simulation reads: it ends early above that. */
  simulatedNames: 500_000,
  /** Concurrent surveys of the lists, and searches in them; more would only make each of them slower. */
  concurrentSurveys: 2,
  concurrentListSearches: 2,
  /** Concurrent explanations of one dns worker. */
  explanationsPerWorker: 8,
  /** Slots of 600 s in one reply: 69 days. */
  historySlots: 10_000,
  appPasswords: 1_000,
  passwordLength: 1_024,
  /** Passwords that are hashed at once, and logins that wait for it. */
  concurrentPasswordHashes: 2,
  waitingLogins: 8,
  blockingTimerSeconds: 31_536_000,
  /** Concurrent event streams: in total, per address, per session. */
  eventReaders: 1_024,
  eventReadersPerAddress: 64,
  eventReadersPerSession: 16,
  /** Bytes that may wait for one event subscriber; above that it is dropped. */
  eventBytesWaiting: 262_144,
  /** Bytes of events that are kept for subscribers that reconnect; the same amount again for queries. */
  eventBytesKept: 98_304,
  /** Items in one event: those above the limit are dropped and counted. */
  eventItems: 200,
  eventBytes: 32_768,
  eventHeartbeatMs: 15_000,
  /** Concurrent pauses for groups and clients. */
  pauses: 1_000,
  /** Windows of one group, and of all groups together: evaluating time zones takes time. */
  schedulesPerGroup: 20,
  schedules: 1_000,
  timeZoneLength: 64,
  /** Writes that wait for earlier ones. */
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
  /** Older copies that are kept in addition, because they may contain lost data. */
  protectedCopies: 3,
} as const;
