// The CPU time that a function uses on this thread. Unlike wall-clock time it excludes other processes and
// threads, so a bound on it also holds on a busy machine. Bounds are an order of magnitude above the expected
// time: they catch work that grows with the square of its input, or faster.

export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
