// What each list has done and could have done: what was recorded of it, and which of the names that were
// asked for it knows, alone or with others.

import type { Scope } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import type { Refused, Surveyed, SurveyedList } from '#control/simulate';
import { maskedAddress, type StoredList } from '#store/database';
import { ask, isFailure, live, wantedScope, type HistoryParts } from './history-scope.ts';

export interface ListStatisticsParts extends HistoryParts {
  readonly lists: () => readonly Pick<StoredList, 'id' | 'address' | 'type'>[];
  /** Nothing when it cannot be told now. */
  readonly survey: (scope: Scope, signal: AbortSignal | undefined) => Promise<Surveyed | Refused | undefined>;
}

export function createListStatisticsHandlers(
  parts: ListStatisticsParts,
): Pick<Handlers, 'getListStatistics'> {
  return {
    getListStatistics: (request) => getListStatistics(parts, request),
  };
}

async function getListStatistics(parts: ListStatisticsParts, request: Request<'getListStatistics'>) {
  const scope = await wantedScope(parts, request);
  if ('failure' in scope) return scope;
  const surveying = parts.survey(scope, request.gone?.());
  const told = await ask(parts, request, 'lists', { ...scope, ...live });
  const surveyed = await surveying;
  if (isFailure(told)) return told;
  const found = surveyed === undefined || 'problem' in surveyed ? undefined : surveyed;
  const matched = new Map(found?.lists.map((list) => [list.id, list]));
  const known = new Map(parts.lists().map((list) => [list.id, list]));
  const used = new Set(told.lists.map(({ id }) => id));
  const unused = [...known.keys()].filter((id) => !used.has(id)).map((id) => ({ id, hits: 0, blocked: 0 }));
  const lists = [...told.lists, ...unused].map(({ id, hits, blocked }) => {
    const list = known.get(id);
    const names = {
      id,
      address: list === undefined ? null : maskedAddress(list.address),
      type: list?.type ?? null,
    };
    return { ...names, hits, blocked, ...presentMatches(matched.get(id)) };
  });
  const truncated = told.truncated || found === undefined || found.truncated;
  const totals = { total_queries: told.total, blocked_queries: told.blocked, truncated };
  return { status: 200 as const, body: { lists, ...totals } };
}

function presentMatches(list: SurveyedList | undefined) {
  return {
    matches: list?.matches ?? null,
    only: list?.only ?? null,
    overridden: list?.overridden ?? null,
    overlaps: list === undefined ? [] : list.overlaps.map(({ id, count }) => ({ id, count })),
  };
}
