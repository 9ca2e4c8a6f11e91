// Makes foreign text safe for a terminal. Names, comments and user agents may contain any character, also
// control sequences. Control characters and characters that change the writing direction are shown as
// escapes.

const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replaceAll(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function quoted(text: string): string {
  return `"${printable(text)}"`;
}
