// What a sentence is about: a kind of thing and which one. Names stand in quotes, because they may hold
// blanks; ids do not.

import { quoted } from './printable.ts';

export interface Subject {
  /** Such as `group`. */
  readonly thing: string;
  readonly name: string | number;
}

export const named = ({ thing, name }: Subject): string =>
  `${thing} ${typeof name === 'number' ? name : quoted(name)}`;

export const article = (subject: Subject): string =>
  `${/^[aeiou]/.test(subject.thing) ? 'an' : 'a'} ${named(subject)}`;

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
