// Removes what a test file leaves behind when it ends early: processes, folders, mounts. Each is registered
// here when it is created. When this process ends for any reason, all are removed in reverse order. For a
// test that has already cleaned up, this has no effect. Nothing here may throw.

import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

type Undo = () => void;

const undos: Undo[] = [];

/** Registers cleanup for the end of this process; it must be synchronous and safe to run twice. */
export const atEnd = (undo: Undo): void => {
  if (undos.length === 0) cleanUpAtExit();
  undos.push(undo);
};

const cleanUpAtExit = (): void => {
  process.once('exit', () => {
    for (const undo of undos.toReversed()) attempt(undo);
  });
  // The test runner ends a slow file with a signal, and a signal alone runs no exit listeners.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
};

const attempt = (undo: Undo): void => {
  try {
    undo();
  } catch (error) {
    console.error(`A leftover of the tests could not be removed: ${String(error)}`);
  }
};

/**
 * A child that a failed test did not end must not keep this process alive; the end of this process kills it.
 */
export const forgettable = <T extends ChildProcess>(child: T): T => {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  return child;
};
