// How replies are shown: to scripts as the API sent them, to people as a table, or as one sentence on stderr
// when there is nothing, so that whatever reads stdout gets no line that is no item.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { tableOf, type Columns } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface ShowOptions {
  readonly json?: boolean;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly columns: Columns<T>;
  /** Said when there is no item. */
  readonly empty: string;
}

export const showList = <T>(terminal: Terminal, { items, columns, empty }: Listing<T>): ExitCode => {
  if (items.length === 0) terminal.error(empty);
  else terminal.print(tableOf(columns, items));
  return exitCodes.ok;
};

/** The reply as it came, without the time it took. */
export const showJson = (terminal: Terminal, body: object): ExitCode => {
  const fields = Object.entries(body).filter(([name]) => name !== 'took');
  terminal.print(JSON.stringify(Object.fromEntries(fields), null, 2));
  return exitCodes.ok;
};
