// CPU burners: processes that only consume CPU time, so that tests run as on a busy machine. They end after a
// time limit, and when the process that started them has ended.

import { spawn } from 'node:child_process';

const LIFE_SECONDS = 3 * 60 * 60;
const BURN = `const endMs = Date.now() + ${LIFE_SECONDS} * 1000;
while (Date.now() < endMs && process.ppid === Number(process.argv[1]));`;

/** Starts the burners; the returned function ends them. */
export function startBurners(count: number): () => void {
  const burners = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', BURN, String(process.pid)], { stdio: 'ignore' }),
  );
  return () => {
    for (const burner of burners) burner.kill('SIGKILL');
  };
}
