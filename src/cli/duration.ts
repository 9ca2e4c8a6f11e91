// Lengths of time as people write them: `90s`, `15m`, `2h`, `1d`, or a plain number of seconds; and the way
// back, for how long something still lasts.

import { InvalidArgumentError } from 'commander';
import { limits } from '#contract';

const unitSeconds = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);

/** As long as the timer of the blocking switch may run: a year. */
const secondsMax = limits.blockingTimerSeconds;

/** Seconds; nothing when the text is no length of time that is allowed. */
export const durationSeconds = (text: string): number | undefined => {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/i.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : unitSeconds.get(unit.toLowerCase());
  if (factor === undefined) return undefined;
  const seconds = Number(digits) * factor;
  return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
};

/** For commander, which tells what is wrong and ends with the exit code for wrong usage. */
export const readDuration = (text: string): number => {
  const seconds = durationSeconds(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError('Allowed are 90s, 15m, 2h, 1d or a number of seconds, at most 365d.');
};

export const durationText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
};
