// What the kernel says about a process, all its threads together (proc(5)).

import { readFileSync } from 'node:fs';

/** USER_HZ, which Linux has fixed for what it tells programs, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100;

/** User and system time so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in parentheses and may hold anything; the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
