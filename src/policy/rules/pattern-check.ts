// Whether a regular expression compiles, what it can cost, and whether it matches everything. It is parsed by
// re2js and run as for queries, so that an accepted expression works there. re2js is loaded when the first
// pattern is checked: a policy without patterns does not need it.

import { automatonOf, CharTables, type Automaton, type Program } from '../patterns/automaton.ts';
import { maxExpressionSteps } from '../patterns/budget.ts';
import { maxSteps } from '../patterns/cost.ts';
import { Matcher, Run } from '../patterns/matcher.ts';
import { hasPossibleName } from './possible-name.ts';

/**
 * The result for a pattern: fine, matching every name or none, too costly, or wrong at a position (from 0
 * on).
 */
export type PatternFinding =
  | { readonly kind: 'fine' | 'everything' | 'nothing' | 'costly' }
  | { readonly kind: 'wrong'; readonly message: string; readonly position: number };

export type PatternCheck = (pattern: string) => PatternFinding;

/**
 * Names that have nothing in common but being names. A pattern that matches all of them matches everything.
 */
const PROBES: readonly Uint8Array[] = [
  'a.bc',
  '0x.museum',
  'q7-z.xn--p1ai',
  'w_w.jk.online',
  '19216811.info',
  'mmm.nnnnnnnnnn.v.tech',
  'xn--80ak6aa92e.de',
  'cdn.e-f-g.h',
].map((name) => new TextEncoder().encode(name));

const PREFIX = '(?i)';
const fine: PatternFinding = { kind: 'fine' };
const everything: PatternFinding = { kind: 'everything' };
const nothing: PatternFinding = { kind: 'nothing' };
const costly: PatternFinding = { kind: 'costly' };

/** `seeksNothing`: also checks whether it matches anything. That is not needed for lists. */
export async function loadPatternCheck({ seeksNothing = false } = {}): Promise<PatternCheck> {
  const { RE2JS, RE2JSException, RE2JSSyntaxException } = await import('re2js');
  const tables = new CharTables();
  return (pattern) => {
    try {
      const program: Program = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).re2().prog;
      const finding = findingOf(automatonOf(program, tables));
      return seeksNothing && finding === fine && !hasPossibleName(program) ? nothing : finding;
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) {
        return wrongPattern(pattern, error.getDescription(), error.getPattern() ?? '');
      }
      // For example too large to be compiled.
      if (error instanceof RE2JSException) return wrong(error.message, 0);
      throw error;
    }
  };
}

function findingOf(automaton: Automaton | undefined): PatternFinding {
  if (automaton === undefined || maxSteps(automaton, maxExpressionSteps) > maxExpressionSteps) return costly;
  return matchesAll(automaton, PROBES) ? everything : fine;
}

function matchesAll(automaton: Automaton, names: readonly Uint8Array[]): boolean {
  const matcher = new Matcher([automaton]);
  return names.every((name) => {
    matcher.read(name);
    return matcher.run(0, maxExpressionSteps) === Run.matches;
  });
}

/** The engine quotes the part with the error, or the whole text; the position follows from that. */
function wrongPattern(pattern: string, message: string, quoted: string): PatternFinding {
  const part =
    quoted.startsWith(PREFIX) && !pattern.startsWith(PREFIX) ? quoted.slice(PREFIX.length) : quoted;
  if (message.endsWith(')') && part === pattern) return wrong(message, parenthesisAt(pattern));
  if (part === '') return wrong(message, Math.max(0, pattern.length - 1));
  return wrong(`${message}: ${part}`, Math.max(0, pattern.indexOf(part)));
}

function wrong(message: string, position: number): PatternFinding {
  return { kind: 'wrong', message, position };
}

/** The first surplus parenthesis, or the last one that is never closed. */
function parenthesisAt(pattern: string): number {
  const open: number[] = [];
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (isInClass) isInClass = char !== ']';
    else if (char === '[') isInClass = true;
    else if (char === '(') open.push(at);
    else if (char === ')' && open.pop() === undefined) return at;
  }
  return open.at(-1) ?? 0;
}
