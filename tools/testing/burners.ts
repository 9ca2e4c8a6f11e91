// CPU burners: processes that do nothing but take processor time, so that tests run as on a busy machine.
// They end by themselves after a while, also when the process that started them was killed.

import { spawn } from 'node:child_process';

const LIFE_SECONDS = 3 * 60 * 60;
const BURN = `const endMs = Date.now() + ${LIFE_SECONDS} * 1000;
while (Date.now() < endMs && process.ppid === Number(process.argv[1]));`;

/** Starts so many; the function that it returns ends them. */
export function startBurners(count: number): () => void {
  const burners = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', BURN, String(process.pid)], { stdio: 'ignore' }),
  );
  return () => {
    for (const burner of burners) burner.kill('SIGKILL');
  };
}
