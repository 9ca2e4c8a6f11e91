// Processes as /proc shows them: parents and children, open descriptors, and whether one still runs. Tests of
// restarts check these.

import { readdirSync, readFileSync } from 'node:fs';

/** Fields 3 and 4 of /proc/PID/stat; the name before them may contain blanks and brackets. */
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

/** Direct children, including zombies. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.parent === pid);

export const descriptorsOf = (pid: number): readonly string[] => readdirSync(`/proc/${pid}/fd`);

/** Whether a signal (SIGSTOP) has stopped the whole process. */
export const isHeld = (pid: number): boolean => statOf(pid)?.state === 'T';

/** Names as in /proc; threads of the service have the names that its status shows. */
export const threadNamesOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).map((task) =>
    readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim(),
  );
