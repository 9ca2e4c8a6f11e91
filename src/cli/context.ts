// What every command gets: how the program was called, where it writes, whom it asks, and how it ends. Made
// once in program.ts; commands are functions of it and of their own options.

import type { ControlClient } from './control.ts';
import type { ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly options: RunOptions;
  readonly terminal: Terminal;
  /** Asks the running service, as its local administrator. */
  readonly call: ControlClient;
  readonly end: (code: ExitCode) => void;
}

/** What commands that only speak with the service need. */
export type Talk = Pick<CommandContext, 'terminal' | 'call'>;
