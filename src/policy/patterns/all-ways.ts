// The states that every path through an automaton passes, from its beginning to a match: its dominators
// (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"). An expression cannot match a name that
// lacks the characters of these states.

import { matched, targetOf, type Automaton } from './automaton.ts';

/** Moves from state to state until the search gives up: loops within loops repeat it many times. */
const maxMoves = 200_000;

/**
 * The beginning, which is state 0, comes last; it is the only one when there is no path to a match, or when
 * the search takes too long.
 */
export function statesOnAllWays({ edges }: Automaton): readonly number[] {
  const end = edges.length;
  const next = (state: number): readonly number[] =>
    (edges[state] ?? []).map((edge) => (targetOf(edge) === matched ? end : targetOf(edge)));
  const order = inOrder(end, next);
  const before = waysInto(end, order, next);
  const nearest = nearestOf(end, order, before);
  if (nearest === undefined) return [0];
  const found: number[] = [];
  let state = nearest[end] ?? -1;
  for (; state > 0; state = nearest[state] ?? -1) found.push(state);
  return [...found, 0];
}

/** All reachable states, each before those that only it leads to: the reverse of a postorder. */
function inOrder(end: number, next: (state: number) => readonly number[]): readonly number[] {
  const seen = new Uint8Array(end + 1);
  const post: number[] = [];
  const open: { readonly state: number; readonly next: readonly number[]; at: number }[] = [];
  const enter = (state: number): void => {
    if (seen[state] === 1) return;
    seen[state] = 1;
    open.push({ state, next: next(state), at: 0 });
  };
  enter(0);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const follower = top.next[top.at++];
    if (follower !== undefined) enter(follower);
    else {
      post.push(top.state);
      open.pop();
    }
  }
  return post.toReversed();
}

function waysInto(
  end: number,
  order: readonly number[],
  next: (state: number) => readonly number[],
): readonly (readonly number[])[] {
  const before: number[][] = Array.from({ length: end + 1 }, () => []);
  for (const state of order) for (const follower of next(state)) before[follower]?.push(state);
  return before;
}

/**
 * By state: the nearest state before it that all paths pass; -1 for unreachable ones. Undefined when the
 * search takes too long.
 */
function nearestOf(
  end: number,
  order: readonly number[],
  before: readonly (readonly number[])[],
): Int32Array | undefined {
  const places = new Int32Array(end + 1).fill(-1);
  for (const [place, state] of order.entries()) places[state] = place;
  const nearest = new Int32Array(end + 1).fill(-1);
  nearest[0] = 0;
  let moves = 0;
  const common = (one: number, other: number): number => {
    let [a, b] = [one, other];
    for (; a !== b && moves <= maxMoves; moves++)
      if ((places[a] ?? 0) > (places[b] ?? 0)) a = nearest[a] ?? 0;
      else b = nearest[b] ?? 0;
    return a;
  };
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const state of order) {
      if (state === 0) continue;
      moves += (before[state] ?? []).length;
      if (moves > maxMoves) return undefined;
      const known = (before[state] ?? []).filter((one) => (nearest[one] ?? -1) >= 0);
      const found = known.length === 0 ? -1 : known.reduce((a, b) => common(a, b));
      if (nearest[state] === found) continue;
      nearest[state] = found;
      isChanged = true;
    }
  }
  return nearest;
}
