// What the kernel says about a process, all its threads together (proc(5)).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** USER_HZ, which Linux has fixed for what it tells programs, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100;

/** User and system time so far. */
export function cpuSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`);
}

/**
 * Of the threads that live now, all of them or those whose names match, to the nanosecond. The kernel finds
 * the ticks of `cpuSeconds` by looking who runs when its clock ticks, which says little about a process that
 * works for microseconds at its timers.
 */
export function livingCpuSeconds(pid: number, name = /^/): number {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = threadsLike(folder, name).map((id) =>
    Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** User and system time of those threads whose names match. */
export function threadsCpuSeconds(pid: number, name: RegExp): number {
  const folder = `/proc/${pid}/task`;
  const threads = threadsLike(folder, name);
  if (threads.length === 0) throw new Error(`Process ${pid} has no thread with a name like ${name}.`);
  return threads.reduce((sum, id) => sum + secondsIn(`${folder}/${id}/stat`), 0);
}

const threadsLike = (folder: string, name: RegExp): string[] =>
  readdirSync(folder).filter((id) => name.test(readFileSync(`${folder}/${id}/comm`, 'utf8').trim()));

/** The launcher stays the parent of the service: its child is what is measured. */
export function mainProcess(launcherPid: number): number {
  return childrenOf(launcherPid)[0] ?? launcherPid;
}

function secondsIn(statFile: string): number {
  const stat = readFileSync(statFile, 'utf8');
  // The name of the program stands in parentheses and may hold anything; the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * What only this process and its children use: their own pages, and their part of shared memory (smaps in
 * proc(5)). Resident size also counts what lies in the page cache, which other programs share and the kernel
 * may drop.
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

export const residentMegabytes = (pid: number): number => megabytesOf(pid, 'VmRSS');

/** The most that was resident since `forgetPeak`. */
export const peakMegabytes = (pid: number): number => megabytesOf(pid, 'VmHWM');

/** The peak is counted anew from what is resident now. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

function megabytesOf(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}
