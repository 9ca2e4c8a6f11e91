// Rows of texts as a table that lines up, for people; scripts use --json. Widths count characters as Unicode
// does, so wide ones stand a little off.

import { printable } from './printable.ts';

export const renderTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
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
};

const lengthOf = (text: string): number => [...text].length;

/** What a column shows of an item, by the column's name. */
export type Columns<T> = Readonly<Record<string, (item: T) => string>>;

export const tableOf = <T>(columns: Columns<T>, items: readonly T[]): string => {
  const cells = Object.values(columns);
  return renderTable(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => cell(item))),
  );
};
