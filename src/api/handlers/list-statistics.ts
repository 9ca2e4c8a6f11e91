// The statistics of each list: how many queries it has decided, and how many of the queried names it
// contains, alone or together with other lists.

import type { Scope } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import type { Refused, Surveyed, SurveyedList } from '#control/simulate';
import { maskedAddress, type StoredList } from '#store/database/entities';
import { queryHistory, isFailure, live, wantedScope, type HistoryParts } from './history-scope.ts';

export interface ListStatisticsParts extends HistoryParts {
  readonly lists: () => readonly Pick<StoredList, 'id' | 'address' | 'type'>[];
  /** Undefined when too many surveys are running. */
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
  const result = await queryHistory(parts, request, 'lists', { ...scope, ...live });
  const surveyed = await surveying;
  if (isFailure(result)) return result;
  const found = surveyed === undefined || 'problem' in surveyed ? undefined : surveyed;
  const matched = new Map(found?.lists.map((list) => [list.id, list]));
  const known = new Map(parts.lists().map((list) => [list.id, list]));
  const used = new Set(result.lists.map(({ id }) => id));
  const unused = [...known.keys()].filter((id) => !used.has(id)).map((id) => ({ id, hits: 0, blocked: 0 }));
  const lists = [...result.lists, ...unused].map(({ id, hits, blocked }) => {
    const list = known.get(id);
    const names = {
      id,
      address: list === undefined ? null : maskedAddress(list.address),
      type: list?.type ?? null,
    };
    return { ...names, hits, blocked, ...presentMatches(matched.get(id)) };
  });
  const truncated = result.truncated || found === undefined || found.truncated;
  const totals = { total_queries: result.total, blocked_queries: result.blocked, truncated };
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
