// Loaded into the program before all other modules (`node --import`): the api thread reads its time from the
// file that HELD_CLOCK_FILE names. All other threads keep the machine's clock, because they supervise each
// other by it.

import { openSync, readSync } from 'node:fs';
import { threadName } from 'node:worker_threads';

const path = process.env['HELD_CLOCK_FILE'];
if (path !== undefined && threadName === 'api') hold(path);

function hold(clockPath: string): void {
  const file = openSync(clockPath, 'r');
  const time = new Float64Array(1);
  const wallMs = (): number => {
    readSync(file, time, 0, 8, 0);
    return time[0] ?? 0;
  };
  const startMs = wallMs();
  Date.now = wallMs;
  performance.now = () => wallMs() - startMs;
}
