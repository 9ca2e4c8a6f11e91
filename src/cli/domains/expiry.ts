// When an entry ends that shall last for a while from now on, in the Unix seconds of the API.

/** Nothing when nobody said for how long. */
export const expiryAfter = (seconds: number | undefined, nowMs: number): number | undefined =>
  seconds === undefined ? undefined : Math.round(nowMs / 1000) + seconds;
