// For tests: expressions that are short to write and long to build, and counters of the work for them.

import * as re2js from 're2js';

import type { Instruction, Program } from '../../policy/patterns/automaton.ts';

function alternate(count: number): string {
  return `[${Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('')}]`;
}

/** Words of two letters that the engine does not combine. */
function pairs(count: number): string {
  const letters = 'bcdefghijklmnopqrstuvwxyz';
  const letter = (at: number): string => letters[at % letters.length] ?? '';
  return Array.from(
    { length: count },
    (_, at) => `[${letter(at)}${letter(at * 7 + 3 + Math.floor(at / 25))}]${letter(at * 3)}`,
  ).join('|');
}

const emptyMatches = (count: number): string => `(?:\\b|\\B|^|$|){${count}}`;

/** Each of these took from 100 ms to some seconds, and was accepted. */
export const longToBuild: Readonly<Record<string, string>> = {
  'a Unicode class, repeated': '[^\\pL\\pN]{999}[^\\pL\\pN]{990}|a1',
  '2,000 characters in a class, repeated': `${alternate(2000)}{999}${alternate(2000)}{950}`,
  'a Unicode class, repeated between anchors': '^\\pL{900}$',
  'many Unicode classes': '\\pL'.repeat(300),
  'many Unicode classes in one': `[${'\\pL\\PN'.repeat(150)}]`,
  'a nested Unicode class': '(?:(?:[^\\pL\\pN]{9}x){9}y){9}z',
  'ranges of all letters': '[B-\\x{1e942}]'.repeat(70),
  'ranges of all letters in one class': `[${'B-\\x{1e942}'.repeat(70)}]`,
  'alternatives of Unicode classes': Array.from({ length: 90 }, () => '\\pLa|[^\\pN]b').join('|'),
  'many word classes': '\\w'.repeat(2000),
  'repetitions that look like a class': `\\Q[\\E${'a{1000}'.repeat(130)}]`,
};

/** Their size is accepted, but each state leads through a long way: what may be read at most for them. */
export const longAtEveryState: Readonly<Record<string, readonly [text: string, maxReads: number]>> = {
  'empty matches after many words': [`(?:${pairs(180)})${emptyMatches(90)}z`, 700_000],
  'empty matches behind the end of all names': [`a{254}(?:${pairs(150)})${emptyMatches(60)}z`, 700_000],
  'groups that match no name': [`(?:${pairs(180)})(?:()|()){160}/`, 750_000],
  'loops within loops': [`a{254}${'(?:'.repeat(250)}q(?:${pairs(150)})${'b)+'.repeat(250)}`, 30_000],
  'optional parts behind the end of all names': [`a{254}${'a?'.repeat(190)}`, 100_000],
};

/** The longest to build that are accepted. */
export const longestAccepted: Readonly<Record<string, string>> = {
  'a Unicode class, repeated between anchors': '^\\pL{480}$',
  'Unicode classes': '\\pL'.repeat(55),
  'ranges of all letters': '[B-\\x{1e942}]'.repeat(2),
  'shorter ranges': '[B-\\x{2000}]'.repeat(30),
  'word classes': '\\w'.repeat(660),
  'characters in a class, repeated': `^${alternate(250)}{900}$`,
  'a plain class, repeated': '[a-z]{1000}[a-z]{990}',
};

export function programOf(text: string): Program {
  return re2js.RE2JS.compile(text, re2js.RE2JS.CASE_INSENSITIVE).re2().prog;
}

/** Ranges that the engine stores for all instructions. */
export function rangesIn({ inst }: Program): number {
  return inst.reduce((sum, { runes }) => sum + runes.length / 2, 0);
}

export interface Counter {
  count: number;
}

/** The same array, which counts how often an element is read. */
export function counted<T extends object>(array: T, counter: Counter): T {
  return new Proxy(array, {
    get(target, key) {
      if (typeof key === 'string' && /^\d/.test(key)) counter.count++;
      return Reflect.get(target, key);
    },
  });
}

/** The same program, which counts reads of the ranges and characters that are tried. */
export function countedProgram({ start, inst }: Program, counter: Counter): Program {
  const known = new Map<ArrayLike<number>, ArrayLike<number>>();
  const countedOnce = (runes: ArrayLike<number>): ArrayLike<number> => {
    const found = known.get(runes) ?? countedRunes(runes, counter);
    known.set(runes, found);
    return found;
  };
  return { start, inst: inst.map((one) => countedInstruction(one, countedOnce(one.runes), counter)) };
}

function countedRunes(runes: ArrayLike<number>, counter: Counter): ArrayLike<number> {
  return counted(Array.from(runes), counter);
}

function countedInstruction(
  instruction: Instruction,
  runes: ArrayLike<number>,
  counter: Counter,
): Instruction {
  const { op, out, arg } = instruction;
  const matchRune = (rune: number): boolean => {
    counter.count++;
    return instruction.matchRune(rune);
  };
  return { op, out, arg, runes, matchRune };
}
