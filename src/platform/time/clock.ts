// The clocks of the program. They are read only here: code that needs the time gets one of these as an
// argument.

/** Unix time. It jumps when the system's clock is set. */
export function wallClockMs(): number {
  return Date.now();
}

/** The time zone of the machine, for callers that name none; UTC if it has none. */
export function systemTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

/** What systemd calls MONOTONIC_USEC (sd_notify(3)). */
export function monotonicMicroseconds(): bigint {
  return process.hrtime.bigint() / 1000n;
}

/** Monotonic; unrelated to the date. */
export function steadyClockMs(): number {
  return performance.now();
}

/** Monotonic and the same in all threads, so that a deadline can be sent to another thread. */
export function sharedClockMs(): number {
  return Number(monotonicMicroseconds()) / 1000;
}
