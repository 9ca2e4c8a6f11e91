// Aligned tables for people; scripts use --json. Widths count Unicode code points, so wide characters are
// slightly misaligned.

import { printable } from './printable.ts';

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...all.map((row) => lengthOf(row[column] ?? ''))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** The text of each column for an item, by the name of the column. */
export type Columns<T> = Readonly<Record<string, (item: T) => string>>;

export function tableOf<T>(columns: Columns<T>, items: readonly T[]): string {
  const cells = Object.values(columns);
  return renderTable(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => cell(item))),
  );
}
