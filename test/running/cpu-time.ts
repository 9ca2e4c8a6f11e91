// The CPU time that this thread needs for something. Unlike the clock on the wall it does not count what
// other processes and threads do meanwhile, so a bound on it holds on a busy machine as well. Bounds are an
// order of magnitude above what is needed: they catch work that grows with the square of its input, or worse.

export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
