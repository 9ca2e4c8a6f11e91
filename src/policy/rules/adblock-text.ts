// Splitting and unquoting of what adblock rules list: a backslash protects the next sign, and quotes protect
// everything between them, because names of clients hold blanks and commas.

/** Parts between separators that are neither escaped nor quoted; the escapes stay. */
export function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\\') at += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (isQuote(sign) && beginsValue(text, at)) quote = sign;
    else if (sign === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function isQuote(sign: string): boolean {
  return sign === '"' || sign === "'";
}

/** An apostrophe inside of a word is no quote. */
function beginsValue(text: string, at: number): boolean {
  return at === 0 || '=|~,'.includes(text[at - 1] ?? '');
}

/** Without quotes around it and with what was escaped as itself. */
export function unquoted(text: string): string {
  const first = text[0] ?? '';
  const isQuoted = text.length > 1 && isQuote(first) && text.endsWith(first);
  const inner = isQuoted ? text.slice(1, -1) : text;
  return inner.replaceAll(/\\(.)/g, '$1');
}
