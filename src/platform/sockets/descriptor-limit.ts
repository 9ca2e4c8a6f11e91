// How many connections and ports a process may hold, given how many descriptors it may have. Who runs out of
// them can open neither a socket towards an upstream nor a file, so strangers who open connections must never
// be able to take them all: a quarter is for connections of the web, one for DNS over TCP, one for the ports
// that upstreams are asked from, and one is left.

import { readFileSync } from 'node:fs';

const share = 1 / 4;

/** As many as wanted, but not more than the share, which `sharers` have between them. */
export function connectionsWithin(wanted: number, sharers = 1, descriptors = readDescriptorLimit()): number {
  if (descriptors === undefined) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor((descriptors * share) / sharers)));
}

/** Nothing where it is not told or there is none; Node has raised it to what is allowed when it started. */
function readDescriptorLimit(): number | undefined {
  try {
    return parseDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return undefined;
  }
}

/** Of the table that proc(5) describes. */
export function parseDescriptorLimit(text: string): number | undefined {
  const [, soft] = /^Max open files +(\d+)/mu.exec(text) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
