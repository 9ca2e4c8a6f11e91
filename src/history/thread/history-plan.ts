// What the history stores, according to the settings. It is part of the dns workers' plan, so that it is
// known at start before the database is open.

/** Which queries are stored, and for how long; plain data that JSON can hold. */
export interface HistoryPlan {
  readonly privacyLevel: number;
  readonly leaveOutDomains: readonly string[];
  /** Addresses and ranges. */
  readonly leaveOutClients: readonly string[];
  /** 0 means no limit, for each of these. */
  readonly days: number;
  readonly megabytes: number;
  readonly blockedDays: number;
  readonly allowedDays: number;
}
