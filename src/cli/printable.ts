// Texts of others on a terminal: names and comments may hold any character, user agents are chosen by whoever
// logs in, and a terminal obeys some of them. Control characters and those that turn the direction of writing
// are shown as their codes.

const obeyed = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export const printable = (text: string): string =>
  text.replaceAll(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const quoted = (text: string): string => `"${printable(text)}"`;
