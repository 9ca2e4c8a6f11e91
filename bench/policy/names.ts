// Millions of blocked names, and files with them: a list in each format that is compared, and the queries of
// the load generator. Files are written in parts, because ten million names do not fit into one string.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { newFolder } from '../workshop.ts';

const PART = 50_000;
/** Coprime to every count here: steps of this size visit each name once, in another order than the file. */
const STEP = 7919;

export function blockedName(index: number): string {
  return `b${index}.ads${index % 5000}.example`;
}

export function passedName(index: number): string {
  return `www${index}.site${index % 5000}.example`;
}

/** A file of plain domains. */
export function writeList(count: number): string {
  return written('list.txt', count, blockedName);
}

export function writeHosts(count: number): string {
  return written('hosts', count, (index) => `0.0.0.0 ${blockedName(index)}`);
}

/** Queries for `count` of `names` names. */
export function writeQuestions(names: number, count: number): string {
  return written('questions', count, (index) => `${blockedName((index * STEP) % names)} A`);
}

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
