// The clocks of the program, read nowhere else: everything that needs the time is given one of these.

/** Unix time. It jumps when the system's clock is set. */
export function wallClockMs(): number {
  return Date.now();
}

/** The time zone that the machine is set to, for whoever names none; UTC where it is set to none. */
export function systemTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

/** What systemd calls MONOTONIC_USEC (sd_notify(3)). */
export function monotonicMicroseconds(): bigint {
  return process.hrtime.bigint() / 1000n;
}

/** Never jumps; says nothing about the date. */
export function steadyClockMs(): number {
  return performance.now();
}

/** Never jumps and is the same in all threads, so that one can tell another until when it may work. */
export function sharedClockMs(): number {
  return Number(monotonicMicroseconds()) / 1000;
}
