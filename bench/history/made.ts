// Generates the history for the benchmark in the data folder before the program starts, up to the current
// hour. The expected results are known, so that a fast but wrong reply does not count.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  madeAddress,
  madeName,
  madeQuestions,
  madeUpstreams,
  makeHistoryFolder,
} from '#testing/history/made-folder';
import { newFolder } from '../workshop.ts';

export const QUERIES = 20_000_000;
export const DAYS = 90;
const NAMES = 200_000;
const CLIENTS = 200;
const HOUR_MS = 3_600_000;
const QUESTIONS = 300_000;
const SEED = 7;

/** A name and its number of queries. */
export type CountedName = { readonly name: string; readonly count: number };

export type MadeHistory = {
  /** The data folder. */
  readonly folder: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The middle of the busiest of the last 24 hours: summing half of it reads the most rows. */
  readonly busiestMs: number;
  /** The most frequent name. */
  readonly frequent: CountedName;
  /** A name with some hundreds of queries. */
  readonly middling: CountedName;
  /** A name with ten queries. */
  readonly rare: CountedName;
  readonly client: string;
  readonly seldomClient: string;
  readonly upstream: string;
  /** A file for dnsperf with the frequencies of the generator. */
  readonly questions: string;
};

export async function makeHistory(): Promise<MadeHistory> {
  const folder = newFolder('history');
  mkdirSync(join(folder, 'data'));
  const untilMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  // Half a day more, so that the last 24 hours begin in their busiest hour.
  const hours = DAYS * 24 + 12;
  const fromMs = untilMs - hours * HOUR_MS;
  const options = { seed: SEED, rows: QUERIES, hours, names: NAMES, clients: CLIENTS, fromMs };
  const counts = makeHistoryFolder(join(folder, 'data'), options);
  const named = (number: number): CountedName => ({
    name: madeName(number),
    count: counts[number] ?? 0,
  });
  const questions = join(folder, 'questions');
  const asked = madeQuestions(options, QUESTIONS).map((number) => `${madeName(number)} A\n`);
  writeFileSync(questions, asked.join(''));
  return {
    folder,
    fromMs,
    untilMs,
    busiestMs: untilMs - 23.5 * HOUR_MS,
    questions,
    frequent: named(1),
    middling: named(NAMES / 200),
    rare: named(counts.lastIndexOf(10)),
    client: madeAddress(5),
    seldomClient: madeAddress(CLIENTS - 1),
    upstream: madeUpstreams[1] ?? '',
  };
}
