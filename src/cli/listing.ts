// Prints replies: as JSON for scripts, as a table for people. If there are no items, a sentence goes to
// stderr, so that stdout contains only items.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { tableOf, type Columns } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface ShowOptions {
  readonly json?: boolean;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly columns: Columns<T>;
  /** The sentence if there are no items. */
  readonly empty: string;
}

export function showList<T>(terminal: Terminal, { items, columns, empty }: Listing<T>): ExitCode {
  if (items.length === 0) terminal.error(empty);
  else terminal.print(tableOf(columns, items));
  return exitCodes.ok;
}

/** The reply of the API without `took`. */
export function showJson(terminal: Terminal, body: object): ExitCode {
  const fields = Object.entries(body).filter(([name]) => name !== 'took');
  terminal.print(JSON.stringify(Object.fromEntries(fields), null, 2));
  return exitCodes.ok;
}
