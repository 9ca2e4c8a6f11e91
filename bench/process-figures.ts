// CPU time and memory of a process and its threads, from the kernel (proc(5)).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** USER_HZ: fixed for user space, independent of the kernel's timer frequency. */
const TICKS_PER_SECOND = 100;

/** User and system time so far. */
export function cpuSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`);
}

/**
 * CPU time of the current threads, all or those whose names match, in nanosecond resolution. The ticks of
 * `cpuSeconds` are sampled at each timer tick, which is inaccurate for a process that works for microseconds.
 */
export function livingCpuSeconds(pid: number, name = /^/): number {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = threadsLike(folder, name).map((id) =>
    Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** User and system time of the threads whose names match. */
export function threadsCpuSeconds(pid: number, name: RegExp): number {
  const folder = `/proc/${pid}/task`;
  const threads = threadsLike(folder, name);
  if (threads.length === 0) throw new Error(`Process ${pid} has no thread with a name like ${name}.`);
  return threads.reduce((sum, id) => sum + secondsIn(`${folder}/${id}/stat`), 0);
}

function threadsLike(folder: string, name: RegExp): string[] {
  return readdirSync(folder).filter((id) => name.test(readFileSync(`${folder}/${id}/comm`, 'utf8').trim()));
}

/** The launcher stays the parent of the service, so its child is measured. */
export function mainProcess(launcherPid: number): number {
  return childrenOf(launcherPid)[0] ?? launcherPid;
}

function secondsIn(statFile: string): number {
  const stat = readFileSync(statFile, 'utf8');
  // The program name is in parentheses and may contain any character; the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Memory that only this process and its children use: their own pages and their part of shared memory (smaps
 * in proc(5)). The resident size also includes the page cache, which other programs share and the kernel may
 * drop.
 */
export function ownMegabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]);
  const own = (kilobytes('Pss_Anon') + kilobytes('Pss_Shmem')) / 1024;
  return childrenOf(pid).reduce((sum, child) => sum + ownMegabytes(child), own);
}

function childrenOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/task`;
  const lists = readdirSync(folder).map((id) => readFileSync(`${folder}/${id}/children`, 'utf8'));
  return lists.flatMap((text) => text.split(' ').filter(Boolean).map(Number));
}

export function residentMegabytes(pid: number): number {
  return megabytesOf(pid, 'VmRSS');
}

/** The peak resident size since `forgetPeak`. */
export function peakMegabytes(pid: number): number {
  return megabytesOf(pid, 'VmHWM');
}

/** Resets the peak to the current resident size. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function megabytesOf(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}
