// The handler of searches: the user's rules are in memory, and a separate thread reads the lists. The reply
// has the fields that existing clients know.

import { domainToASCII } from 'node:url';
import { fail, limits, type Failure, type ReplyBody } from '#contract';
import type { ListSearch, Searched } from '#control/explain';
import type { Handlers, Request } from '../http/handler.ts';
import type { SearchHit } from '#lists/search';
import type { ReadModel } from '#store/database';
import { type StoredDomain, type StoredList, withMaskedAddress } from '#store/database/entities';

export interface SearchParts {
  readonly read: Pick<ReadModel, 'domains' | 'lists'>;
  /** Undefined when too many searches are running. */
  readonly search: (wanted: ListSearch) => Promise<Searched | undefined>;
}

type Search = ReplyBody<'search', 200>['search'];

const defaultHits = 20;

export function createSearchHandlers(parts: SearchParts): Pick<Handlers, 'search' | 'searchByQuery'> {
  return {
    search: ({ params, query }) => search(parts, params.domain, query),
    searchByQuery: ({ query }) => search(parts, query.domain ?? '', query),
  };
}

type Options = Request<'search'>['query'];

async function search(parts: SearchParts, text: string, options: Options) {
  const problem = problemOf(parts, text, options);
  if (problem !== undefined) return problem;
  const term = asciiOf(text);
  if (term === undefined) return fail('invalidName', `${text} cannot be written in letters of domain names.`);
  const { partial = false, N = defaultHits, debug = false } = options;
  const searched = await parts.search(listSearch(parts, term, partial, N));
  if (searched === undefined) return tooMany();
  const domains = parts.read.domains.filter((domain) => isFound(domain, term, partial, searched.regexIds));
  const found: Search = {
    domains: domains.slice(0, N).map(presentDomain),
    gravity: presentHits(parts, searched.hits),
    parameters: { N, partial, domain: text, debug },
    results: resultsOf(parts, domains, searched),
    ...(debug && { debug: debugOf(text, term, partial, domains) }),
  };
  return { status: 200 as const, body: { search: found } };
}

function tooMany(): Failure<'tooManyRequests'> {
  return fail('tooManyRequests', 'Too many searches are running.', { headers: { 'retry-after': '1' } });
}

function problemOf({ read }: SearchParts, text: string, { N = 0 }: Options) {
  if (text.trim() === '') return fail('noSearchTerm', '/api/search');
  if (N > limits.searchHits)
    return fail('tooManyResults', `${N} were requested, ${limits.searchHits} is the most.`);
  if (read.domains.problem !== undefined) return fail('domainsUnreadable', read.domains.problem);
  return read.lists.problem === undefined ? undefined : fail('collectionUnreadable', read.lists.problem);
}

/** In lower case and with A-labels; printable ASCII is kept, because it may be part of a name. */
function asciiOf(text: string): string | undefined {
  const lower = text
    .trim()
    .toLowerCase()
    .replace(/(?<=.)\.$/u, '');
  if (/^[\u0021-\u007e]+$/u.test(lower)) return lower;
  const ascii = domainToASCII(lower);
  return ascii === '' ? undefined : ascii;
}

/** Block lists are searched first. */
function listSearch({ read }: SearchParts, text: string, isPartial: boolean, maxHits: number): ListSearch {
  return {
    text,
    isExact: !isPartial,
    maxHits,
    listIds: [...idsOf(read, 'block'), ...idsOf(read, 'allow')],
    regexes: read.domains.filter(({ kind }) => kind === 'regex').map(({ id, domain }) => ({ id, domain })),
  };
}

function idsOf(read: SearchParts['read'], wanted: StoredList['type']): readonly number[] {
  return read.lists.filter(({ type }) => type === wanted).map(({ id }) => id);
}

function isFound(
  { id, domain, kind }: StoredDomain,
  term: string,
  isPartial: boolean,
  regexIds: readonly number[],
): boolean {
  if (isPartial && domain.toLowerCase().includes(term)) return true;
  if (kind === 'regex') return regexIds.includes(id);
  const [name = ''] = domain.split(';', 1);
  return name.startsWith('*.') ? term === name.slice(2) || term.endsWith(name.slice(1)) : name === term;
}

function presentDomain(stored: StoredDomain): Search['domains'][number] {
  const { domain, type, kind, comment, enabled, id, date_added, date_modified, groups } = stored;
  return { domain, type, kind, comment, enabled, id, date_added, date_modified, groups: [...groups] };
}

/** A list that was deleted during the search is left out. */
function presentHits({ read }: SearchParts, hits: readonly SearchHit[]): Search['gravity'] {
  const lists = new Map(read.lists.filter(() => true).map((list) => [list.id, list]));
  return hits.flatMap((hit) => presentHit(lists.get(hit.listId), hit));
}

function presentHit(list: StoredList | undefined, hit: SearchHit): Search['gravity'] {
  if (list === undefined) return [];
  const { group_expiry: _, held: _held, added_with: _rights, groups, ...fields } = withMaskedAddress(list);
  return [{ ...fields, domain: entryText(hit), groups: [...groups], line: hit.line }];
}

/** The entry in a canonical form, which may differ from the text in its list. */
function entryText({ about, reach, action, isPattern }: SearchHit): string {
  const exception = action === 'allow' ? '@@' : '';
  if (isPattern) return `${exception}/${about}/`;
  if (reach === 'below') return `${exception}||${about}^`;
  if (reach === 'onlyBelow') return `${exception}*.${about}`;
  return exception === '' ? about : `${exception}|${about}^`;
}

function resultsOf(
  { read }: SearchParts,
  domains: readonly StoredDomain[],
  { counts, isComplete }: Searched,
): Search['results'] {
  const exact = domains.filter(({ kind }) => kind === 'exact').length;
  const regex = domains.length - exact;
  const allowing = new Set(idsOf(read, 'allow'));
  const sum = (isAllow: boolean): number =>
    counts.reduce((all, { listId, hits }) => (allowing.has(listId) === isAllow ? all + hits : all), 0);
  const [allow, block] = [sum(true), sum(false)];
  return {
    domains: { exact, regex },
    gravity: { allow, block },
    total: exact + regex + allow + block,
    truncated: !isComplete,
  };
}

function debugOf(
  domain: string,
  punycode: string,
  isPartial: boolean,
  domains: readonly StoredDomain[],
): NonNullable<Search['debug']> {
  const labels = punycode.split('.');
  const above = isPartial ? [] : labels.map((_, at) => labels.slice(at).join('.'));
  const regexIds = (wanted: StoredDomain['type']): number[] =>
    domains.filter(({ kind, type }) => kind === 'regex' && type === wanted).map(({ id }) => id);
  return {
    domain,
    punycode,
    abp_pattern: {
      gravity: above.map((name) => `||${name}^`),
      antigravity: above.map((name) => `@@||${name}^`),
    },
    regex_ids: { deny: regexIds('deny'), allow: regexIds('allow') },
  };
}
