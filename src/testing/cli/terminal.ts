// A terminal for tests: it keeps what commands print and what they complain about, apart.

import type { Terminal } from '../../cli/terminal.ts';

export const recorder = () => {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    error: (text) => err.push(text),
    nowMs: () => 0,
  };
  return { out, err, terminal };
};
