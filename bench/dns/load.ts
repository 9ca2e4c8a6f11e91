// Runs dnsperf and collects its results and the kernel's: answered queries, rate, latency, and the CPU time
// of the server.

import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../../tools/run.ts';
import { newFolder } from '../workshop.ts';

export type Load = {
  readonly port: number;
  /** A file of names, one per line with its type. */
  readonly names: string;
  readonly seconds: number;
  /** Queries per second; default: as fast as possible. */
  readonly rate?: number;
  readonly outstanding?: number;
};

export type Outcome = {
  readonly answered: number;
  readonly lost: number;
  readonly perSecond: number;
  /** CPU of the server per answered query. */
  readonly microseconds: number;
};

/** `cpuSeconds` returns the CPU time that the server has used so far. */
export async function underLoad(load: Load, cpuSeconds: () => number): Promise<Outcome> {
  const before = cpuSeconds();
  const { output } = await run('dnsperf', dnsperfArguments(load));
  const answered = figure(output, 'Queries completed');
  return {
    answered,
    lost: figure(output, 'Queries lost'),
    perSecond: figure(output, 'Queries per second'),
    microseconds: ((cpuSeconds() - before) / answered) * 1e6,
  };
}

/**
 * The 99th percentile of the response time in milliseconds. dnsperf writes the time of each answer to a file,
 * so that it never waits for a reader. With `elsewhere` dnsperf simulates clients on other machines: it gets
 * a realtime priority, so that it waits only for answers and not for a core. That needs root, and a load that
 * leaves CPU time for the server.
 */
export async function lateness99(load: Load, clients: 'here' | 'elsewhere'): Promise<number> {
  const timesPath = join(newFolder('latency'), 'times');
  const output = openSync(timesPath, 'w');
  const args = [...dnsperfArguments(load), '-v'];
  if (clients === 'here') await run('dnsperf', args, { output });
  else await run('chrt', ['--rr', '1', 'dnsperf', ...args], { output });
  closeSync(output);
  const text = readFileSync(timesPath, 'utf8');
  const times = Array.from(text.matchAll(/^> \S+ \S+ \S+ ([\d.]+)$/gm), ([, seconds]) => Number(seconds));
  if (times.length === 0) throw new Error(`dnsperf reported no response times:\n${text.slice(-500)}`);
  times.sort((a, b) => a - b);
  return (times[Math.floor(times.length * 0.99)] ?? 0) * 1000;
}

function dnsperfArguments({ port, names, seconds, rate, outstanding = 512 }: Load): string[] {
  const pace = rate === undefined ? [] : ['-Q', String(Math.floor(rate))];
  const where = ['-s', '127.0.0.1', '-p', String(port), '-d', names, '-l', String(seconds)];
  return [...where, '-c', '8', '-q', String(outstanding), '-T', '1', ...pace];
}

function figure(output: string, name: string): number {
  const found = new RegExp(`${name}:\\s+([\\d.]+)`).exec(output)?.[1];
  if (found === undefined) throw new Error(`dnsperf did not finish:\n${output.slice(-500)}`);
  return Number(found);
}
