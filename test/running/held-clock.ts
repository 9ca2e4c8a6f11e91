// A clock that stands still until a test moves it. The api thread of the program reads it in place of the
// machine's clock, so a test of a timer, a one-time token or a limit per second does not depend on how busy
// the machine is. The time is in a file, which the program reads through held-clock-preload.ts. Timers
// (`setTimeout`) keep real time: after `advance`, the program does what is due at its next check, within a
// second.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryFolder } from './folder.ts';
import type { Environment } from './program.ts';

export type HeldClock = {
  /** Environment for the program that reads this clock; several programs may use it one after the other. */
  readonly env: Environment;
  readonly nowMs: () => number;
  readonly advance: (ms: number) => void;
};

export function holdClock(startMs = Date.now()): HeldClock {
  const path = join(temporaryFolder(), 'clock');
  const file = openSync(path, 'w');
  let nowMs = startMs;
  // Eight bytes in one call, so that the program never reads a half-written time.
  const write = (): void => void writeSync(file, Float64Array.of(nowMs), 0, 8, 0);
  write();
  return {
    env: {
      NODE_OPTIONS: `--import=${import.meta.resolve('./held-clock-preload.ts')}`,
      HELD_CLOCK_FILE: path,
    },
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
      write();
    },
  };
}
