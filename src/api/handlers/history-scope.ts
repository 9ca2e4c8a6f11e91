// What all questions about the history have in common: the time they are about, what they are narrowed by,
// what the privacy level hides, and how long they may take.

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
  /** Who is in a group now, by its id or name; nothing when there is no such group. */
  readonly membersOf: (group: string, signal: AbortSignal | undefined) => Promise<Members | undefined>;
}

/** Every answer comes within this time, or ends with what there is. */
const usualLimitMs = 1_000;

/** Statistics of the last 24 hours have what is only counted in them; those of the database have not. */
export const live = { isLive: true } as const;

/** Matches no row. */
export const nothing: RowFilter = { types: [] };

export function hidesDomains({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 1;
}
export function hidesClients({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 2;
}
export function hidesQueries({ privacyLevel }: HistoryParts): boolean {
  return privacyLevel() >= 3;
}

export async function ask<N extends QuestionName>(
  { history }: HistoryParts,
  { gone }: Pick<RequestContext, 'gone'>,
  name: N,
  question: QuestionInput<N>,
  limitMs = usualLimitMs,
): Promise<QuestionResult<N> | Failure<'historyAway'>> {
  const answer = await history.ask(name, question, { limitMs, signal: gone?.() });
  return answer.ok ? answer.value : fail('historyAway', answer.problem);
}

/** Told from an answer, which has no such field. */
export function isFailure(told: object): told is Failure<'historyAway' | 'unknownGroup'> {
  return 'failure' in told;
}

/** Questions that are about a scope. */
type ScopedName = Extract<
  | { [N in QuestionName]: Scope extends QuestionInput<N> ? N : never }[QuestionName]
  | 'topDomains'
  | 'topClients'
  | 'clientSlots',
  QuestionName
>;

/** About what the parameters of a request narrow it to. */
export async function askWithin<N extends ScopedName>(
  parts: HistoryParts,
  request: Pick<RequestContext, 'gone'> & { readonly query: Narrowing },
  name: N,
  more: Omit<QuestionInput<N>, Exclude<keyof Scope, 'isLive'>>,
): Promise<QuestionResult<N> | Failure<'historyAway' | 'unknownGroup'>> {
  const scope = await wantedScope(parts, request);
  if ('failure' in scope) return scope;
  return ask(parts, request, name, { ...scope, ...more });
}

/** The scope that parameters tell, with the clients of a group looked up. */
export async function wantedScope(
  parts: HistoryParts,
  { query, gone }: Pick<RequestContext, 'gone'> & { readonly query: Narrowing },
): Promise<Scope | Failure<'unknownGroup' | 'historyAway'>> {
  const scope = scopeOf(parts, query);
  const { group } = query;
  if (group === undefined || group === '') return scope;
  const members = await parts.membersOf(group, gone?.());
  if (members === undefined)
    return fail('unknownGroup', `There is no group ${JSON.stringify(group)}; GET /api/groups lists all.`);
  if ('problem' in members) return fail('historyAway', members.problem);
  // Whoever may not see clients cannot find out about them by groups.
  if (hidesClients(parts)) return { ...scope, filter: nothing };
  return { ...scope, isPartial: !members.isAll, filter: { ...scope.filter, clients: members.clients } };
}

export interface Narrowing {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly client?: string | undefined;
  readonly group?: string | undefined;
  readonly list?: number | undefined;
}

/** All but the group. */
export function scopeOf(parts: HistoryParts, { from, until, client, list }: Narrowing): Scope {
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

/** What has an end and no beginning is a day, too. */
function dayBefore(untilMs: number): Pick<Scope, 'fromMs' | 'untilMs'> {
  return {
    fromMs: untilMs - dayMs,
    untilMs,
  };
}

/** Or a pattern of one; everything else is a name. */
function isAddress(client: string): boolean {
  return client.includes(':') || /^[\d.*]+$/u.test(client);
}

/** Whoever may not see clients cannot find out about them by filters: they look for what is shown. */
export function clientFilter(
  parts: HistoryParts,
  field: 'clientIp' | 'clientName' | 'client',
  pattern: string,
): RowFilter {
  if (!hidesClients(parts)) return { [field]: pattern };
  return field !== 'clientName' && patternOf(pattern)(hiddenClient) ? {} : nothing;
}

export function domainFilter(parts: HistoryParts, pattern: string): RowFilter {
  if (!hidesDomains(parts)) return { domain: pattern };
  return patternOf(pattern)(hiddenName) ? {} : nothing;
}
