// What all questions to the history have in common: their time range, their filters, what the privacy level
// hides, and their timeout.

import { fail, type Failure } from '#contract';
import type { Members } from '#control/plan';
import { hiddenClient, hiddenName, lastDay, patternOf, type RowFilter } from '#history/segments';
import type { QuestionInput, HistoryReader, QuestionName, Scope, QuestionResult } from '#history/thread';
import type { RequestContext } from '../http/handler.ts';

export interface HistoryParts {
  readonly history: HistoryReader;
  /** The wall clock. */
  readonly nowMs: () => number;
  /** 0: nothing is hidden; 1: domains; 2: clients too; 3: the log too, and nothing is stored. */
  readonly privacyLevel: () => number;
  /** The current members of a group, by its id or name; undefined when there is no such group. */
  readonly membersOf: (group: string, signal: AbortSignal | undefined) => Promise<Members | undefined>;
}

/** After this time an answer is cut to what was found so far. */
const defaultTimeoutMs = 1_000;

/** Statistics of the last 24 hours include queries that are counted but not logged; long-term ones do not. */
export const live = { isLive: true } as const;

/** Matches no row. */
export const noRows: RowFilter = { types: [] };

export function hidesDomains({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 1;
}
export function hidesClients({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 2;
}
export function hidesQueries({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 3;
}

export async function queryHistory<N extends QuestionName>(
  { history }: HistoryParts,
  { gone }: Pick<RequestContext, 'gone'>,
  name: N,
  question: QuestionInput<N>,
  limitMs = defaultTimeoutMs,
): Promise<QuestionResult<N> | Failure<'historyAway'>> {
  const answer = await history.query(name, question, { limitMs, signal: gone?.() });
  return answer.ok ? answer.value : fail('historyAway', answer.problem);
}

/** Results of the history have no field `failure`. */
export function isFailure(result: object): result is Failure<'historyAway' | 'unknownGroup'> {
  return 'failure' in result;
}

/** The questions that have a scope. */
type ScopedName = Extract<
  | { [N in QuestionName]: Scope extends QuestionInput<N> ? N : never }[QuestionName]
  | 'topDomains'
  | 'topClients'
  | 'clientSlots',
  QuestionName
>;

/** Sends a question with the scope of the request's parameters. */
export async function queryHistoryWithin<N extends ScopedName>(
  parts: HistoryParts,
  request: Pick<RequestContext, 'gone'> & { readonly query: ScopeParameters },
  name: N,
  more: Omit<QuestionInput<N>, Exclude<keyof Scope, 'isLive'>>,
): Promise<QuestionResult<N> | Failure<'historyAway' | 'unknownGroup'>> {
  const scope = await wantedScope(parts, request);
  if ('failure' in scope) return scope;
  return queryHistory(parts, request, name, { ...scope, ...more });
}

/** The scope of the request's parameters, including the clients of a group. */
export async function wantedScope(
  parts: HistoryParts,
  { query, gone }: Pick<RequestContext, 'gone'> & { readonly query: ScopeParameters },
): Promise<Scope | Failure<'unknownGroup' | 'historyAway'>> {
  const scope = scopeOf(parts, query);
  const { group } = query;
  if (group === undefined || group === '') return scope;
  const members = await parts.membersOf(group, gone?.());
  if (members === undefined)
    return fail('unknownGroup', `There is no group ${JSON.stringify(group)}; GET /api/groups lists all.`);
  if ('problem' in members) return fail('historyAway', members.problem);
  // When clients are hidden, groups must not reveal them.
  if (hidesClients(parts)) return { ...scope, filter: noRows };
  return { ...scope, isPartial: !members.isAll, filter: { ...scope.filter, clients: members.clients } };
}

export interface ScopeParameters {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly client?: string | undefined;
  readonly group?: string | undefined;
  readonly list?: number | undefined;
}

/** The scope without the group. */
export function scopeOf(parts: HistoryParts, { from, until, client, list }: ScopeParameters): Scope {
  const { fromMs, untilMs } = until === undefined ? lastDay(parts.nowMs()) : dayBefore(until * 1000);
  return {
    fromMs: from === undefined ? fromMs : from * 1000,
    untilMs,
    filter: {
      ...(client === undefined || client === ''
        ? {}
        : clientFilter(parts, isAddress(client) ? 'clientIp' : 'clientName', client)),
      ...(list === undefined ? {} : { lists: [list] }),
    },
  };
}

const dayMs = 24 * 3_600_000;

/** A range without a start is the day before its end. */
function dayBefore(untilMs: number): Pick<Scope, 'fromMs' | 'untilMs'> {
  return {
    fromMs: untilMs - dayMs,
    untilMs,
  };
}

/** Whether the text is an address or a pattern of addresses; otherwise it is a name. */
function isAddress(client: string): boolean {
  return client.includes(':') || /^[\d.*]+$/u.test(client);
}

/** When clients are hidden, filters must not reveal them: a pattern matches only the placeholder address. */
export function clientFilter(
  parts: HistoryParts,
  field: 'clientIp' | 'clientName' | 'client',
  pattern: string,
): RowFilter {
  if (!hidesClients(parts)) return { [field]: pattern };
  return field !== 'clientName' && patternOf(pattern)(hiddenClient) ? {} : noRows;
}

export function domainFilter(parts: HistoryParts, pattern: string): RowFilter {
  if (!hidesDomains(parts)) return { domain: pattern };
  return patternOf(pattern)(hiddenName) ? {} : noRows;
}
