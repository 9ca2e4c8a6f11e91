// How much CPU time the host of a virtual machine gave to others ("steal" in proc_stat(5)). A duration that
// was measured meanwhile says little, so test runs and benchmarks print this share beside it.

import { readFileSync } from 'node:fs';

/** Below this share, a measured duration counts as usual. */
const NOTABLE_SHARE = 0.02;
const STEAL_FIELD = 7;

type CpuTimes = { readonly total: number; readonly stolen: number };

/** The returned function describes the time since the call, or returns undefined if little was stolen. */
export function watchStolenTime(read: () => string = readProcStat): () => string | undefined {
  const before = parseCpuTimes(read());
  return () => {
    const after = parseCpuTimes(read());
    const share = (after.stolen - before.stolen) / Math.max(1, after.total - before.total);
    if (share < NOTABLE_SHARE) return undefined;
    const percent = Math.round(share * 100);
    return `The host gave ${percent} % of this machine's CPU time to others; durations are not comparable.`;
  };
}

function readProcStat(): string {
  return readFileSync('/proc/stat', 'utf8');
}

/** The first line has the sums over all cores: user, nice, system, idle, iowait, irq, softirq, steal. */
function parseCpuTimes(text: string): CpuTimes {
  const [first = ''] = text.split('\n', 1);
  const fields = first
    .split(/\s+/)
    .slice(1, STEAL_FIELD + 2)
    .map(Number);
  return { total: fields.reduce((sum, field) => sum + field, 0), stolen: fields[STEAL_FIELD] ?? 0 };
}
