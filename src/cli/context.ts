// The context of every command: arguments, output, the client of the API, and the exit code. program.ts
// creates it; commands are functions of it and of their own options.

import type { ControlClient } from './control.ts';
import type { ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly options: RunOptions;
  readonly terminal: Terminal;
  /** Calls the API of the running service as its local administrator. */
  readonly call: ControlClient;
  readonly end: (code: ExitCode) => void;
}

/** The part that commands need which only call the API. */
export type Talk = Pick<CommandContext, 'terminal' | 'call'>;
