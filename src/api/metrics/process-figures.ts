// What the system says of this process as a whole, all threads together: time of the processor, memory,
// descriptors. Read when somebody asks; outside of Linux some of it is not known.

import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFigures {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly openFds: number | undefined;
  readonly maxFds: number | undefined;
}

export const readProcessFigures = (): ProcessFigures => {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1_000_000,
    residentBytes: process.memoryUsage.rss(),
    openFds: openFds(),
    maxFds: maxFds(),
  };
};

/** Without the one that the look itself takes. */
const openFds = (): number | undefined => {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
};

const maxFds = (): number | undefined => {
  try {
    const text = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return text === undefined ? undefined : Number(text);
  } catch {
    return undefined;
  }
};
