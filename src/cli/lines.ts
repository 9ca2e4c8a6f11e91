// Text that arrives in pieces, as the lines that it is made of.

/** Hands on whole lines, however the text was cut. */
export const linesOf = (take: (line: string) => void): ((text: string) => void) => {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  };
};
