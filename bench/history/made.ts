// The history that is measured: made before the program starts, in the folder that it will find, up to the
// hour that is now. What is asked of it is known beforehand, so that an answer that is quick and wrong is no
// figure.

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

/** A name and how often it was asked for. */
export type CountedName = { readonly name: string; readonly count: number };

export type MadeHistory = {
  /** Of the program. */
  readonly folder: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The middle of the busiest hour among the last 24: it takes the most rows to sum half of it. */
  readonly busiestMs: number;
  /** The name that was asked for most. */
  readonly frequent: CountedName;
  /** One with some hundreds of queries. */
  readonly middling: CountedName;
  /** One with ten in all. */
  readonly rare: CountedName;
  readonly client: string;
  readonly seldomClient: string;
  readonly upstream: string;
  /** A file for dnsperf: names as often as the generator asks for them. */
  readonly questions: string;
};

export async function makeHistory(): Promise<MadeHistory> {
  const folder = newFolder('history');
  mkdirSync(join(folder, 'data'));
  const untilMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  // Half a day more: the hour in which the last 24 begin is then the busiest of them.
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
