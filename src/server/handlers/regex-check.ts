// Whether a regular expression compiles. The engine is loaded with the first one that is checked. Only the
// linear-time engine is ever used on patterns of users and lists, so it is the one that decides; extensions
// after `;` are not part of the pattern.

/** Why it does not; nothing when it does. */
export const compileProblem = async (text: string): Promise<string | undefined> => {
  const { RE2JS, RE2JSSyntaxException } = await import('re2js');
  // Compiling is synchronous; others get their turn between two of them.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    RE2JS.compile(patternOf(text), RE2JS.CASE_INSENSITIVE);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
};

const extension = /;(querytype=[^;]*|reply=[^;]*|invert)$/;

const patternOf = (text: string): string => {
  let pattern = text;
  while (extension.test(pattern)) pattern = pattern.replace(extension, '');
  return pattern;
};
