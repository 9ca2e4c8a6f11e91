// Options that the commands about the past have in common: how far back they look, and how much they show.

import { InvalidArgumentError, Option } from 'commander';
import { readDuration } from '../duration.ts';

export const lastOption = (): Option =>
  new Option('--last <duration>', 'only so far back: 90s, 15m, 2h, 1d').argParser(readDuration);

export const countOption = (most: number): Option =>
  new Option('--count <number>', 'at most so many').argParser((text: string) => {
    if (/^\d{1,5}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`A whole number from 0 to ${most}.`);
  });
