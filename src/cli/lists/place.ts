// Whether a list blocks or allows: one address may be a list of both types, so commands that name a list may
// have to be told which. The options are the same for all commands about lists.

import { Option } from 'commander';
import type { Subject } from '../subject.ts';

export type ListType = 'block' | 'allow';

export interface TypeOptions {
  readonly block?: true;
  readonly allow?: true;
}

export const typeOptions = (): readonly Option[] => [
  new Option('--block', 'lists that block').conflicts('allow'),
  new Option('--allow', 'lists that allow'),
];

export const typeOf = ({ allow, block }: TypeOptions): ListType | undefined => {
  if (allow === true) return 'allow';
  return block === true ? 'block' : undefined;
};

/** For sentences: `blocking list "x"`. */
export const listSubject = (type: ListType, address: string): Subject => ({
  thing: type === 'block' ? 'blocking list' : 'allowing list',
  name: address,
});
