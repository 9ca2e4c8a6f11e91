// Parses durations such as `90s`, `15m`, `2h`, `1d` or a plain number of seconds, and formats durations.

import { InvalidArgumentError } from 'commander';
import { limits } from '#contract';

const unitSeconds = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);

/** The longest timer of the blocking switch: a year. */
const maxSeconds = limits.blockingTimerSeconds;

/** Undefined if the text is not an allowed duration. */
export function durationSeconds(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/i.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : unitSeconds.get(unit.toLowerCase());
  if (factor === undefined) return undefined;
  const seconds = Number(digits) * factor;
  return seconds >= 1 && seconds <= maxSeconds ? seconds : undefined;
}

/** For commander, which prints the error and ends with the exit code for wrong usage. */
export function readDuration(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError('Allowed are 90s, 15m, 2h, 1d or a number of seconds, at most 365d.');
}

export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}
