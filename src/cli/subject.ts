// The subject of a sentence: a kind of item and its name or id. Names are quoted, because they may contain
// spaces; ids are not.

import { quoted } from './printable.ts';

export interface Subject {
  /** For example `group`. */
  readonly thing: string;
  readonly name: string | number;
}

export function named({ thing, name }: Subject): string {
  return `${thing} ${typeof name === 'number' ? name : quoted(name)}`;
}

export function article(subject: Subject): string {
  return `${/^[aeiou]/.test(subject.thing) ? 'an' : 'a'} ${named(subject)}`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
