// Splits and unquotes the values of adblock rules: a backslash protects the next character, and quotes
// protect everything between them, because names of clients may contain blanks and commas.

/** Parts between separators that are neither escaped nor quoted; the escapes stay. */
export function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (isQuote(char) && beginsValue(text, at)) quote = char;
    else if (char === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}

/** An apostrophe inside a word is not a quote. */
function beginsValue(text: string, at: number): boolean {
  return at === 0 || '=|~,'.includes(text[at - 1] ?? '');
}

/** Without surrounding quotes, and with escapes resolved. */
export function unquoted(text: string): string {
  const first = text[0] ?? '';
  const isQuoted = text.length > 1 && isQuote(first) && text.endsWith(first);
  const inner = isQuoted ? text.slice(1, -1) : text;
  return inner.replaceAll(/\\(.)/g, '$1');
}
