// Processes as the system shows them: who is whose child, what is open, and whether one still runs. What
// tests say about restarts they say about these.

import { readdirSync, readFileSync } from 'node:fs';

/** Field 4 of stat(5) in proc; the name before it may hold blanks and brackets. */
const statOf = (pid: number): { readonly state: string; readonly parent: number } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
};

export const isAlive = (pid: number): boolean => {
  const found = statOf(pid);
  return found !== undefined && found.state !== 'Z';
};

/** Direct children, zombies too. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.parent === pid);

export const descriptorsOf = (pid: number): readonly string[] => readdirSync(`/proc/${pid}/fd`);

/** Stopped by a signal, as a whole. */
export const isHeld = (pid: number): boolean => statOf(pid)?.state === 'T';

/** As the system shows them; threads of the service have the names of its status. */
export const threadNamesOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).map((task) =>
    readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim(),
  );
