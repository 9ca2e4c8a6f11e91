// Where an entry stands: it allows or denies, and it is an exact domain or a regular expression. The options
// are the same for all commands about domains.

import { Option } from 'commander';
import type { Subject } from '../subject.ts';

export interface Place {
  readonly type: 'allow' | 'deny';
  readonly kind: 'exact' | 'regex';
}

export interface PlaceOptions {
  readonly allow?: true;
  readonly deny?: true;
  readonly regex?: true;
  readonly exact?: true;
}

export const placeOptions = (): readonly Option[] => [
  new Option('--deny', 'what is denied').conflicts('allow'),
  new Option('--allow', 'what is allowed'),
  new Option('--exact', 'domains as they are').conflicts('regex'),
  new Option('--regex', 'regular expressions'),
];

export const typeOf = ({ allow, deny }: PlaceOptions): Place['type'] | undefined => {
  if (allow === true) return 'allow';
  return deny === true ? 'deny' : undefined;
};

export const kindOf = ({ regex, exact }: PlaceOptions): Place['kind'] | undefined => {
  if (regex === true) return 'regex';
  return exact === true ? 'exact' : undefined;
};

/** For sentences: `denied domain "x"`. */
export const domainSubject = ({ type, kind }: Place, domain: string): Subject => ({
  thing: `${type === 'deny' ? 'denied' : 'allowed'} ${kind === 'exact' ? 'domain' : 'regular expression'}`,
  name: domain,
});
