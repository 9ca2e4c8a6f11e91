// The cost of the floor (floor.c) on this machine: CPU time per query, under the same load as the DNS cases.
// It needs a C compiler and dnsperf; if they are missing, the row says what to install, and nothing fails.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../tools/run.ts';
import { cpuSeconds } from './process-figures.ts';
import { amountRow, type Row } from './report.ts';
import { median } from './rounds.ts';
import { stop } from './service.ts';
import { newFolder } from './workshop.ts';

const SOURCE = join(import.meta.dirname, 'floor.c');
const NAME = 'floor, CPU per query';
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const NAMES = Array.from({ length: 10_000 }, (_, index) => `b${index}.ads${index % 500}.example A`);

export async function floorCase(): Promise<readonly Row[]> {
  const folder = newFolder('floor');
  const program = join(folder, 'floor');
  if (!(await run('cc', ['--version'])).isOk) return [missing('gcc')];
  const { isOk, output } = await run('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', program, SOURCE]);
  if (!isOk) throw new Error(`floor.c does not compile:\n${output}`);
  if (!(await run('dnsperf', ['-h'])).output.includes('Usage')) return [missing('dnsperf')];
  const names = join(folder, 'names.txt');
  writeFileSync(names, NAMES.join('\n'));
  return [amountRow(NAME, await microseconds(program, names), 'us')];
}

async function microseconds(program: string, names: string): Promise<number> {
  const child = spawn(program, ['0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    const costs: number[] = [];
    while (costs.length < ROUNDS) costs.push(await costOf(child.pid ?? 0, String(port).trim(), names));
    return median(costs);
  } finally {
    await stop(child);
  }
}

async function costOf(pid: number, port: string, names: string): Promise<number> {
  const before = cpuSeconds(pid);
  const load = ['-c', '8', '-q', '512', '-T', '1', '-l', String(ROUND_SECONDS)];
  const { output } = await run('dnsperf', ['-s', '127.0.0.1', '-p', port, '-d', names, ...load]);
  const answered = Number(/Queries completed:\s+(\d+)/.exec(output)?.[1]);
  return ((cpuSeconds(pid) - before) / answered) * 1e6;
}

function missing(debianPackage: string): Row {
  const measured = `not measured: apt-get install ${debianPackage}`;
  return { name: NAME, measured, bar: '-', verdict: '-' };
}
