// Whether there is any name that an expression matches. `^$` matches none, nor does an expression with a
// character that names cannot contain (`^https://`): such a rule has no effect, or with `;invert` it affects
// everything. The compiled program is walked character by character, over states that know only the character
// before them; that finds a path to a match when there is one, without building the names. Names consist of
// letters, digits, hyphens and underscores here, in labels that are not empty.

import type { Instruction, Program } from '../patterns/automaton.ts';

/**
 * Numbers of the engine. Captures and no-ops have one successor; from `firstRune` on characters are accepted.
 */
const Op = { choice: 1, choiceMatch: 2, empty: 4, fail: 5, match: 6 } as const;
const firstRune = 8;
const anyRune = 10;
const lastRune = 11;

/** Conditions of an empty match. */
const Condition = { beginning: 1 | 4, end: 2 | 8, edge: 16, noEdge: 32 } as const;

/** The kind of character before or after a place. */
const Side = { none: 0, dot: 1, word: 2, hyphen: 3 } as const;
const sides = [Side.none, Side.dot, Side.word, Side.hyphen] as const;
const chars: readonly (readonly [rune: number, side: number])[] = Array.from(
  'abcdefghijklmnopqrstuvwxyz0123456789_-.',
  (char) => [char.charCodeAt(0), char === '.' ? Side.dot : char === '-' ? Side.hyphen : Side.word],
);

/** Characters and instructions that are tried; a program that needs more is assumed to match something. */
const maxSteps = 300_000;

type State = readonly [at: number, before: number];

/** False only when there is certainly none. */
export function hasPossibleName({ start, inst }: Program): boolean {
  const seen = new Uint8Array(inst.length * sides.length);
  const open: State[] = sides.map((side) => [start, side]);
  let steps = 0;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const [at, before] = state;
    if (seen[at * sides.length + before] === 1) continue;
    seen[at * sides.length + before] = 1;
    for (const behind of sides.filter((side) => canFollow(before, side))) {
      const reached = reachedFrom(inst, at, before, behind);
      if (reached === 'match') return true;
      steps += reached.accepting.length * chars.length + reached.visited;
      if (steps > maxSteps) return true;
      for (const next of reached.accepting) pushAfter(open, next, behind);
    }
  }
  return false;
}

/** Excludes empty labels and empty names. */
function canFollow(before: number, behind: number): boolean {
  return !(isEdgeOfLabel(before) && isEdgeOfLabel(behind));
}

function isEdgeOfLabel(side: number): boolean {
  return side === Side.none || side === Side.dot;
}

/** Continues where the instruction accepts a character of this kind. */
function pushAfter(open: State[], instruction: Instruction, behind: number): void {
  const takes = chars.some(([rune, side]) => side === behind && isTaken(instruction, rune));
  if (takes) open.push([instruction.out, behind]);
}

function isTaken(instruction: Instruction, rune: number): boolean {
  return instruction.op >= anyRune || instruction.matchRune(rune);
}

interface Reached {
  readonly accepting: readonly Instruction[];
  /** How many instructions were looked at. */
  readonly visited: number;
}

/** The instructions that accept a character or the end, reached without accepting one. */
function reachedFrom(
  inst: readonly Instruction[],
  at: number,
  before: number,
  behind: number,
): Reached | 'match' {
  const accepting: Instruction[] = [];
  const seen = new Set<number>([at]);
  for (const place of seen) {
    const instruction = inst[place];
    if (instruction === undefined) continue;
    const { op } = instruction;
    // Unknown instructions, such as lookbehind, are assumed to match.
    if (op === Op.match || op > lastRune) return 'match';
    if (op >= firstRune) accepting.push(instruction);
    else for (const next of nextOf(instruction, before, behind)) seen.add(next);
  }
  return { accepting, visited: seen.size };
}

function nextOf({ op, out, arg }: Instruction, before: number, behind: number): readonly number[] {
  if (op === Op.fail) return [];
  if (op === Op.choice || op === Op.choiceMatch) return [out, arg];
  return op !== Op.empty || isMet(arg, before, behind) ? [out] : [];
}

function isMet(conditions: number, before: number, behind: number): boolean {
  const isEdge = (before === Side.word) !== (behind === Side.word);
  if ((conditions & Condition.beginning) !== 0 && before !== Side.none) return false;
  if ((conditions & Condition.end) !== 0 && behind !== Side.none) return false;
  if ((conditions & Condition.edge) !== 0 && !isEdge) return false;
  return (conditions & Condition.noEdge) === 0 || !isEdge;
}
