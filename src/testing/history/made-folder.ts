// For benchmarks: creates a data folder with a generated history, as a service would leave it that ran all
// the time, and counts how often each name was queried, so that replies can be checked.

import { Generator, fill, type GeneratorOptions } from './generator.ts';
import { HistoryStore } from '../../history/segments/history-store.ts';
import { keepEverything } from '../../history/segments/retention.ts';

export { madeAddress, madeName, madeUpstreams } from './generator.ts';

const hourMs = 3_600_000;

/** The result is the number of queries for each name. */
export function makeHistoryFolder(dataDir: string, options: GeneratorOptions): Uint32Array {
  const { fromMs, hours, names } = options;
  const report = (message: string): never => {
    throw new Error(message);
  };
  const store = new HistoryStore({ dataDir, nowMs: fromMs, seeds: [1, 2], report });
  const counts = new Uint32Array(names + 1);
  fill(store, options, ({ name }) => (counts[name] = (counts[name] ?? 0) + 1));
  while (store.everyMinute(fromMs + hours * hourMs, keepEverything));
  store.close();
  return counts;
}

/** Numbers of names with the frequencies of the history. */
export function madeQuestions(options: GeneratorOptions, count: number): number[] {
  const generator = new Generator(options);
  return Array.from({ length: count }, () => generator.make(options.fromMs).name);
}
