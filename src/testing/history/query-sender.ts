// For tests: adds generated queries to a store, records them as plain rows, and reads all rows back for
// comparison.

import { Generator, madeUpstreams, makeRing, type MadeQuery } from './generator.ts';
import type { HistoryStore } from '../../history/segments/history-store.ts';
import { naiveRow, type NaiveRow } from './naive-history.ts';
import { endless, startMs } from './store.ts';

const made = { seed: 5, rows: 1000, hours: 1, names: 100, clients: 5, fromMs: startMs };

/** The result adds generated queries to a store and to `rows`. */
export function makeQuerySender(rows: NaiveRow[]) {
  const generator = new Generator(made);
  const { writer, reader } = makeRing();
  return (store: HistoryStore, count: number, timeMs: number, change?: (query: MadeQuery) => void) => {
    for (let i = 0; i < count; i++) {
      const query = generator.make(timeMs + i);
      change?.(query);
      generator.write(writer, query);
      rows.push(naiveRow(query, rows.length + 1));
    }
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
  };
}

/** All rows, the oldest first. */
export function readAll(store: HistoryStore) {
  return store
    .page({ start: 0, length: 1e6 }, endless)
    .rows.map(({ clientName: _, ede: __, cname: ___, ...row }) => row)
    .toReversed();
}
