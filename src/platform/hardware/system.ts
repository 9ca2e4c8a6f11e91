// Memory and load of the machine, from the kernel's small files, in kB as clients expect it.

import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os';
import { readFileSync } from 'node:fs';
import type { ReplyBody } from '#contract';
import { readSmallFile } from './small-file.ts';

type System = ReplyBody<'getSystemInfo', 200>['system'];

/** How much this program uses, in percent. */
export interface OwnShare {
  readonly machineCpuPercent: number;
  readonly processCpuPercent: number;
  readonly residentBytes: number;
}

export async function readSystem(own: OwnShare): Promise<System> {
  const memory = parseMemory((await readSmallFile('/proc/meminfo')) ?? '');
  const procs = parseProcesses((await readSmallFile('/proc/loadavg')) ?? '');
  const nprocs = availableParallelism();
  const raw = loadavg().slice(0, 3);
  return {
    uptime: Math.floor(uptime()),
    memory,
    procs,
    cpu: {
      nprocs,
      '%cpu': own.machineCpuPercent,
      load: { raw, percent: raw.map((load) => (load * 100) / nprocs) },
    },
    ftl: { '%mem': memoryPercent(own.residentBytes), '%cpu': own.processCpuPercent },
  };
}

export function memoryPercent(bytes: number): number {
  return (100 * bytes) / totalmem();
}

/** In kB, from /proc/meminfo; without that file, from the platform. */
export function parseMemory(text: string): System['memory'] {
  const kB = (name: string): number | undefined => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const total = kB('MemTotal') ?? Math.floor(totalmem() / 1024);
  const free = kB('MemFree') ?? Math.floor(freemem() / 1024);
  const available = kB('MemAvailable') ?? free;
  const used = total - available;
  const swapTotal = kB('SwapTotal') ?? 0;
  const swapFree = kB('SwapFree') ?? 0;
  const swapUsed = swapTotal - swapFree;
  return {
    ram: { total, free, used, available, '%used': percent(used, total) },
    swap: { total: swapTotal, free: swapFree, used: swapUsed, '%used': percent(swapUsed, swapTotal) },
  };
}

/** The second number of the fourth field of /proc/loadavg. */
export function parseProcesses(text: string): number {
  return Number(/ \d+\/(\d+) /.exec(text)?.[1] ?? 0);
}

/** The first line of /proc/stat: total time of the processors, and their idle time. */
export function parseTicks(text: string): { readonly total: number; readonly idle: number } {
  const [line = ''] = text.split('\n', 1);
  // The last two are contained in others.
  const ticks = line.split(/ +/).slice(1, 9).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  return { total: ticks.reduce((sum, tick) => sum + tick, 0), idle: idle + waiting };
}

export function readTicks(): { readonly total: number; readonly idle: number } {
  try {
    return parseTicks(readFileSync('/proc/stat', 'latin1'));
  } catch {
    return { total: 0, idle: 0 };
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}
