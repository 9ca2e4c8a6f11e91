// A terminal for tests that records standard output and standard error separately.

import type { Terminal } from '../../cli/terminal.ts';

export function recorder() {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    error: (text) => err.push(text),
    nowMs: () => 0,
  };
  return { out, err, terminal };
}
