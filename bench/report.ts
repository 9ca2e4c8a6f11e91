// The rows of a benchmark and their table. A row contains its bar, so that readers do not have to remember
// the targets.

import type { Programs } from './programs.ts';

export type Row = {
  readonly name: string;
  readonly measured: string;
  readonly bar: string;
  readonly verdict: 'met' | 'missed' | '-';
};

export type Case = (programs: Programs) => Promise<readonly Row[]>;

/** A ratio in percent. */
export function ratioRow(name: string, ratio: number, detail: string, atLeast: number): Row {
  const verdict = ratio >= atLeast ? 'met' : 'missed';
  return { name, measured: `${percent(ratio)} (${detail})`, bar: `>= ${percent(atLeast)}`, verdict };
}

/** A factor; without a bar it is for comparison only. */
export function factorRow(name: string, factor: number, detail: string, atMost?: number): Row {
  const measured = `${factor.toFixed(2)} times (${detail})`;
  if (atMost === undefined) return { name, measured, bar: '-', verdict: '-' };
  return { name, measured, bar: `<= ${atMost}`, verdict: factor <= atMost ? 'met' : 'missed' };
}

/** An amount with its unit; without a bar it is for comparison only. */
export function amountRow(name: string, amount: number, unit: string, atMost?: number): Row {
  const measured = `${amount.toFixed(amount < 10 ? 2 : 1)} ${unit}`;
  if (atMost === undefined) return { name, measured, bar: '-', verdict: '-' };
  return { name, measured, bar: `<= ${atMost} ${unit}`, verdict: amount <= atMost ? 'met' : 'missed' };
}

export function printTable(rows: readonly Row[]): void {
  const head = { name: 'case', measured: 'measured', bar: 'bar', verdict: 'verdict' };
  const cells = [head, ...rows].map(({ name, measured, bar, verdict }) => [name, measured, bar, verdict]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  }
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`;
}
