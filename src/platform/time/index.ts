// The door of time: the clocks that are read, and a timer that does not drift.

export { monotonicMicroseconds, sharedClockMs, steadyClockMs, systemTimeZone, wallClockMs } from './clock.ts';
export { ExactTimer } from './exact-timer.ts';
