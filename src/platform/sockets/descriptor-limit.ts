// How many connections and ports a process may hold, given its limit of descriptors. A process without free
// descriptors can open neither a socket to an upstream nor a file, so clients that open connections must
// never use all of them: a quarter is for web connections, one for DNS over TCP, one for the ports of
// upstream queries, and one is left.

import { readFileSync } from 'node:fs';

const share = 1 / 4;

/** As many as wanted, but not more than the share, which is divided among `sharers`. */
export function connectionsWithin(wanted: number, sharers = 1, descriptors = readDescriptorLimit()): number {
  if (descriptors === undefined) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor((descriptors * share) / sharers)));
}

/** Undefined when it is unknown or unlimited. Node raised it to the hard limit at start. */
function readDescriptorLimit(): number | undefined {
  try {
    return parseDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return undefined;
  }
}

/** Parses the table that proc(5) describes. */
export function parseDescriptorLimit(text: string): number | undefined {
  const [, soft] = /^Max open files +(\d+)/mu.exec(text) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
