// Splits text that arrives in chunks into lines.

/** Calls `onLine` for each complete line, wherever the chunks were cut. */
export function splitLines(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  };
}
