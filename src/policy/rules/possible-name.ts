// Whether there is any name at all that an expression matches. `^$` matches none, and neither does what holds
// a sign that names do not have (`^https://`): such a rule has no effect, or with `;invert` one on everything.
// The compiled program of the expression is walked from sign to sign, over states that know only what stands
// before them; that finds some way to a match when there is one, without making the names. Names are letters,
// digits, hyphens and underscores here, in labels that are not empty.

import type { Instruction, Program } from '../patterns/automaton.ts';

/** Numbers of the engine. Captures and what does nothing go on; from `firstRune` on signs are taken. */
const Op = { choice: 1, choiceMatch: 2, empty: 4, fail: 5, match: 6 } as const;
const firstRune = 8;
const anyRune = 10;
const lastRune = 11;

/** Of an empty match. */
const Condition = { beginning: 1 | 4, end: 2 | 8, edge: 16, noEdge: 32 } as const;

/** What stands before or behind a place. */
const Side = { none: 0, dot: 1, word: 2, hyphen: 3 } as const;
const sides = [Side.none, Side.dot, Side.word, Side.hyphen] as const;
const signs: readonly (readonly [rune: number, side: number])[] = Array.from(
  'abcdefghijklmnopqrstuvwxyz0123456789_-.',
  (sign) => [sign.charCodeAt(0), sign === '.' ? Side.dot : sign === '-' ? Side.hyphen : Side.word],
);

/** Signs that are tried; a program that needs more is believed to match something. */
const mostSteps = 300_000;

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
      steps += reached.length * signs.length + 1;
      if (steps > mostSteps) return true;
      for (const next of reached) pushAfter(open, next, behind);
    }
  }
  return false;
}

/** No empty label, and no empty name. */
function canFollow(before: number, behind: number): boolean {
  return !(isEdgeOfLabel(before) && isEdgeOfLabel(behind));
}

function isEdgeOfLabel(side: number): boolean {
  return side === Side.none || side === Side.dot;
}

/** Goes on where the instruction takes a sign of this kind. */
function pushAfter(open: State[], instruction: Instruction, behind: number): void {
  const takes = signs.some(([rune, side]) => side === behind && isTaken(instruction, rune));
  if (takes) open.push([instruction.out, behind]);
}

function isTaken(instruction: Instruction, rune: number): boolean {
  return instruction.op >= anyRune || instruction.matchRune(rune);
}

/** The instructions that take a sign, or that all is matched, by ways that take none. */
function reachedFrom(
  inst: readonly Instruction[],
  at: number,
  before: number,
  behind: number,
): readonly Instruction[] | 'match' {
  const reached: Instruction[] = [];
  const seen = new Set<number>([at]);
  for (const place of seen) {
    const instruction = inst[place];
    if (instruction === undefined) continue;
    const { op } = instruction;
    // What is not known here, such as looking behind, is believed.
    if (op === Op.match || op > lastRune) return 'match';
    if (op >= firstRune) reached.push(instruction);
    else for (const next of nextOf(instruction, before, behind)) seen.add(next);
  }
  return reached;
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
