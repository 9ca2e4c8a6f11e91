// What the operating system reports about the whole process, all threads together: processor time, memory,
// file descriptors. Read on demand; outside of Linux some figures are unknown.

import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFigures {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly openFds: number | undefined;
  readonly maxFds: number | undefined;
}

export function readProcessFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1_000_000,
    residentBytes: process.memoryUsage.rss(),
    openFds: openFds(),
    maxFds: maxFds(),
  };
}

/** Without the descriptor that reading the folder opens. */
function openFds(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

function maxFds(): number | undefined {
  try {
    const text = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return text === undefined ? undefined : Number(text);
  } catch {
    return undefined;
  }
}
