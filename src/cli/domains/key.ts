// The key of a rule beside its text: it allows or denies, and it is an exact domain or a regular expression.
// One text may have up to four rules, so commands look for all of them unless options select one. The service
// knows which spellings are the same name; nothing is compared here.

import { Option } from 'commander';
import type { ControlClient } from '../control.ts';
import { refusalText, type Refusal } from '../failure.ts';
import { quoted } from '../printable.ts';
import { article, named, type Subject } from '../subject.ts';

export interface DomainKey {
  readonly type: 'allow' | 'deny';
  readonly kind: 'exact' | 'regex';
}

export interface KeyOptions {
  readonly allow?: true;
  readonly deny?: true;
  readonly regex?: true;
  readonly exact?: true;
}

export function keyOptions(): readonly Option[] {
  return [
    new Option('--deny', 'only denied ones').conflicts('allow'),
    new Option('--allow', 'only allowed ones'),
    new Option('--exact', 'only domains').conflicts('regex'),
    new Option('--regex', 'only regular expressions'),
  ];
}

export function typeOf({ allow, deny }: KeyOptions): DomainKey['type'] | undefined {
  if (allow === true) return 'allow';
  return deny === true ? 'deny' : undefined;
}

export function kindOf({ regex, exact }: KeyOptions): DomainKey['kind'] | undefined {
  if (regex === true) return 'regex';
  return exact === true ? 'exact' : undefined;
}

/** For sentences: `denied domain "x"`. */
export function domainSubject({ type, kind }: DomainKey, domain: string): Subject {
  return {
    thing: `${type === 'deny' ? 'denied' : 'allowed'} ${kind === 'exact' ? 'domain' : 'regular expression'}`,
    name: domain,
  };
}

type Found =
  | { readonly ok: true; readonly key: DomainKey }
  | { readonly ok: false; readonly problem: string };

/** The one rule with this text; a problem if there is none, or several that the options do not separate. */
export async function findKey(call: ControlClient, domain: string, options: KeyOptions): Promise<Found> {
  const found: DomainKey[] = [];
  for (const key of possibleKeys(options)) {
    const reply = await call('getDomain', { params: { ...key, domain } });
    if (reply.ok) found.push(key);
    else if (reply.status !== 404) return { ok: false, problem: unreadable(domain, reply) };
  }
  const [key, ...others] = found;
  if (key === undefined) return { ok: false, problem: absent(domain, options) };
  return others.length === 0 ? { ok: true, key } : { ok: false, problem: ambiguous(domain, found) };
}

function possibleKeys(options: KeyOptions): DomainKey[] {
  const [type, kind] = [typeOf(options), kindOf(options)];
  const types = type === undefined ? (['deny', 'allow'] as const) : [type];
  const kinds = kind === undefined ? (['exact', 'regex'] as const) : [kind];
  return types.flatMap((oneType) => kinds.map((oneKind) => ({ type: oneType, kind: oneKind })));
}

function unreadable(domain: string, refusal: Refusal): string {
  return refusalText({ thing: 'domain', name: domain }, 'looked up', refusal);
}

function absent(domain: string, options: KeyOptions): string {
  const [key, ...others] = possibleKeys(options);
  if (key !== undefined && others.length === 0) return `There is no ${named(domainSubject(key, domain))}.`;
  return `There is no entry ${quoted(domain)}; \`sluice domains\` lists all.`;
}

function ambiguous(domain: string, keys: readonly DomainKey[]): string {
  const subjects = keys.map((key) => article(domainSubject(key, domain))).join(' and ');
  return `There is ${subjects}. Say which one: --deny or --allow, --exact or --regex.`;
}
