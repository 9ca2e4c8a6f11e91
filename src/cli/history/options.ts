// Options that the history commands share: the time range and the number of results.

import { InvalidArgumentError, Option } from 'commander';
import { readDuration } from '../duration.ts';

export function lastOption(): Option {
  return new Option('--last <duration>', 'only the last 90s, 15m, 2h, 1d …').argParser(readDuration);
}

export function countOption(most: number): Option {
  return new Option('--count <number>', 'show at most this many').argParser((text: string) => {
    if (/^\d{1,5}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${most}.`);
  });
}
