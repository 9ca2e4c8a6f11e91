// A selection of a segment's rows with their original ids: what remains of a segment when the rows of one
// class are too old.

import { columnNumbers, rowBytes, type ColumnNumber, type Rows } from './rows.ts';

export function pickRows(rows: Rows, selection: Uint32Array): Rows {
  const ids = Float64Array.from(selection, (row) => rows.idAt(row));
  const times = Float64Array.from(selection, (row) => rows.times()[row] ?? 0);
  const columns = columnNumbers.map((number) => {
    const column = rows.column(number);
    return Uint32Array.from(selection, (row) => column[row] ?? 0);
  });
  return {
    length: selection.length,
    firstId: ids[0] ?? 0,
    lastId: ids.at(-1) ?? 0,
    minMs: times.reduce((least, time) => Math.min(least, time), Infinity),
    maxMs: times.reduce((most, time) => Math.max(most, time), -Infinity),
    sizeBytes: selection.length * rowBytes,
    idAt: (row) => ids[row] ?? 0,
    column: (number: ColumnNumber) => columns[number] ?? new Uint32Array(0),
    times: () => times,
  };
}
