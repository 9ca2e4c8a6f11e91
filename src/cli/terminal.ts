// The output and clock of commands, passed in so that tests run without a process.

export interface Terminal {
  readonly print: (text: string) => void;
  readonly error: (text: string) => void;
  readonly nowMs: () => number;
}

export const processTerminal: Terminal = {
  print: (text) => console.log(text),
  error: (text) => console.error(text),
  nowMs: () => Date.now(),
};
