// For measurements only: a data folder with a history of queries from a seed, as a service would have left it
// that ran all the time, and how often each name was asked for, so that an answer can be checked.

import { Generator, fill, type GeneratorOptions } from './generator.ts';
import { HistoryStore } from '../../history/segments/history-store.ts';
import { keepEverything } from '../../history/segments/retention.ts';

export { madeAddress, madeName, madeUpstreams } from './generator.ts';

const hourMs = 3_600_000;

/** How often the name of each number was asked for. */
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

/** Numbers of names, as often as they are asked for. */
export function madeQuestions(options: GeneratorOptions, count: number): number[] {
  const generator = new Generator(options);
  return Array.from({ length: count }, () => generator.make(options.fromMs).name);
}
