// Exit codes. Scripts rely on them, so no number is ever reused.

export const exitCodes = {
  ok: 0,
  /** Something failed; the message says what. */
  failed: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** No service is running on this data folder. */
  notRunning: 3,
  /** Environment or settings file are wrong. */
  misconfigured: 4,
  /** Another service holds the data folder. */
  locked: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
