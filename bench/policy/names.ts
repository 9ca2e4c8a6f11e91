// The names that are blocked, by the million, and the files made of them: a list in each of the forms that
// are compared, and the questions of the load generator. They are written in parts, since ten million names
// do not fit into one string.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { newFolder } from '../workshop.ts';

const PART = 50_000;
/** Coprime to every count here: a walk in such steps meets each name once, in no order of the file. */
const STEP = 7919;

export const blockedName = (index: number): string => `b${index}.ads${index % 5000}.example`;
export const passedName = (index: number): string => `www${index}.site${index % 5000}.example`;

/** A file of plain domains. */
export const writeList = (count: number): string => written('list.txt', count, blockedName);

export const writeHosts = (count: number): string =>
  written('hosts', count, (index) => `0.0.0.0 ${blockedName(index)}`);

/** Questions for `count` of `names` names. */
export const writeQuestions = (names: number, count: number): string =>
  written('questions', count, (index) => `${blockedName((index * STEP) % names)} A`);

/** Changes a list, so that the next update compiles it. */
export function appendName(path: string, name: string): void {
  const file = openSync(path, 'a');
  writeSync(file, `${name}\n`);
  closeSync(file);
}

function written(name: string, count: number, lineOf: (index: number) => string): string {
  const path = join(newFolder('names'), name);
  const file = openSync(path, 'w');
  for (let from = 0; from < count; from += PART) {
    const lines = Array.from({ length: Math.min(PART, count - from) }, (_, at) => lineOf(from + at));
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
  return path;
}
