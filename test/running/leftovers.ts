// What a test file leaves behind when it ends early: processes, folders, mounts. Each is registered here when
// it is made and undone when this process ends, in the reverse order, whatever ended it. A test that cleans
// up after itself makes its entry idle; nothing here may throw.

import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

type Undo = () => void;

const undos: Undo[] = [];

/** Registers work for the end of this process; it must be synchronous and harmless when done twice. */
export const atEnd = (undo: Undo): void => {
  if (undos.length === 0) watchTheEnd();
  undos.push(undo);
};

const watchTheEnd = (): void => {
  process.once('exit', () => {
    for (const undo of undos.toReversed()) attempt(undo);
  });
  // The runner ends a file that takes too long by a signal, and a signal runs no exit listeners by itself.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
};

const attempt = (undo: Undo): void => {
  try {
    undo();
  } catch (error) {
    console.error(`A leftover of the tests could not be removed: ${String(error)}`);
  }
};

/** A process that a failed test forgot must not keep this one from ending, which ends both. */
export const forgettable = <T extends ChildProcess>(child: T): T => {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  return child;
};
