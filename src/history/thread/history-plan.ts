// What the history keeps, as the settings say it. The dns workers' plan carries it, so that a start knows it
// before the database is open.

/** Which queries are stored, and for how long; plain data that JSON can hold. */
export interface HistoryPlan {
  readonly privacyLevel: number;
  readonly leaveOutDomains: readonly string[];
  /** Addresses and ranges. */
  readonly leaveOutClients: readonly string[];
  /** 0: no limit, for each of these. */
  readonly days: number;
  readonly megabytes: number;
  readonly blockedDays: number;
  readonly allowedDays: number;
}
