// The door of time: the clocks, and a timer for a moment of the wall clock.

export { monotonicMicroseconds, sharedClockMs, steadyClockMs, systemTimeZone, wallClockMs } from './clock.ts';
export { ExactTimer } from './exact-timer.ts';
