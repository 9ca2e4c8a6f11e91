// Handlers of queries over time, and of the history as a whole.

import { fail, limits } from '#contract';
import { lastDay, slotSeconds } from '#history/segments';
import type { Scope, ClientSlotsResult } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import type { FileFacts } from './file-facts.ts';
import {
  queryHistory,
  queryHistoryWithin,
  hidesClients,
  isFailure,
  live,
  wantedScope,
  type HistoryParts,
} from './history-scope.ts';

type Names =
  | 'getHistory'
  | 'getClientHistory'
  | 'getLongTermHistory'
  | 'getLongTermClientHistory'
  | 'getDatabaseInfo'
  | 'flushLogs';

export interface HistoryHandlerParts extends HistoryParts {
  /** The metadata of the file that contains the history. */
  readonly file: () => FileFacts;
}

const defaultClients = 10;
const concealed = { history: [], clients: [], truncated: false };

export function createHistoryHandlers(parts: HistoryHandlerParts): Pick<Handlers, Names> {
  return {
    getHistory: (request) => getHistory(parts, request),
    getClientHistory: (request) => getClientHistory(parts, request),
    getLongTermHistory: async (request) => {
      const result = await queryHistoryWithin(parts, request, 'slots', {});
      if (isFailure(result)) return result;
      const slots = result.slots.slice(-limits.historySlots);
      const history = slots.map(({ fromSeconds, total, cached, blocked }) => ({
        timestamp: middleOf(fromSeconds),
        total,
        cached,
        blocked,
      }));
      return {
        status: 200,
        body: { history, truncated: result.truncated || slots.length < result.slots.length },
      };
    },
    getLongTermClientHistory: (request) => getLongTermClientHistory(parts, request),
    getDatabaseInfo: (request) => getDatabaseInfo(parts, request),
    flushLogs: async () => {
      // Without a signal: the flush continues when the caller disconnects.
      const answer = await parts.history.query('flush', undefined, { limitMs: flushMs });
      if (!answer.ok) return fail('historyAway', answer.problem);
      return { status: 200, body: { status: 'success' } };
    },
  };
}

const flushMs = 10_000;
function middleOf(fromSeconds: number): number {
  return fromSeconds + slotSeconds / 2;
}
function slotAt(timeMs: number): number {
  return Math.floor(timeMs / 1000 / slotSeconds);
}

interface Slots {
  readonly scope: Scope;
  /** The start of each slot, oldest first. */
  readonly starts: readonly number[];
  readonly isCut: boolean;
}

/** All slots of a scope, including empty ones; above the limit, the newest. */
function slotsOf(parts: HistoryParts, wanted: Scope): Slots {
  const untilMs = Math.min(wanted.untilMs, lastDay(parts.nowMs()).untilMs);
  const last = slotAt(untilMs - 1);
  // Times are Unix times, so there are no slots before 0.
  const wantedFirst = Math.max(slotAt(wanted.fromMs), 0);
  const first = Math.max(wantedFirst, last - limits.historySlots + 1);
  const isCut = first > wantedFirst;
  const fromMs = isCut ? first * slotSeconds * 1000 : wanted.fromMs;
  const count = untilMs > wanted.fromMs ? last - first + 1 : 0;
  const starts = Array.from({ length: count }, (_, at) => (first + at) * slotSeconds);
  return { scope: { ...wanted, ...live, fromMs, untilMs }, starts, isCut };
}

async function getHistory(parts: HistoryParts, request: Request<'getHistory'>) {
  const wanted = await wantedScope(parts, request);
  if ('failure' in wanted) return wanted;
  const { scope, starts, isCut } = slotsOf(parts, wanted);
  const result = await queryHistory(parts, request, 'slots', scope);
  if (isFailure(result)) return result;
  const bySlot = new Map(result.slots.map((slot) => [slot.fromSeconds, slot]));
  const history = starts.map((start) => {
    const { total = 0, cached = 0, blocked = 0, forwarded = 0 } = bySlot.get(start) ?? {};
    return { timestamp: middleOf(start), total, cached, blocked, forwarded };
  });
  return { status: 200 as const, body: { history, truncated: result.truncated || isCut } };
}

async function getClientHistory(parts: HistoryParts, request: Request<'getClientHistory'>) {
  if (hidesClients(parts)) return { status: 200 as const, body: concealed };
  const { N = defaultClients } = request.query;
  const wanted = await wantedScope(parts, request);
  if ('failure' in wanted) return wanted;
  const { scope, starts, isCut } = slotsOf(parts, wanted);
  const most = N === 0 ? Infinity : N;
  const question = { ...scope, most, slots: starts.length, isRankedOverall: true };
  const result = await queryHistory(parts, request, 'clientSlots', question);
  if (isFailure(result)) return result;
  const bySlot = new Map(result.slots.map((slot) => [slot.fromSeconds, slot]));
  const zeros = result.clients.map(() => 0);
  const history = starts.map((start) => {
    const slot = bySlot.get(start);
    const counts = [...zeros];
    for (const [place, count] of slot?.counts ?? []) counts[place] = count;
    const data = Object.fromEntries(result.clients.map(({ ip }, place) => [ip, counts[place] ?? 0]));
    return { timestamp: middleOf(start), data: { ...data, others: slot?.others ?? 0 } };
  });
  const clients = { ...clientTotals(result), ...othersOf(result) };
  return { status: 200 as const, body: { history, clients, truncated: result.truncated || isCut } };
}

function nameOrNull(name: string): string | null {
  return name === '' ? null : name;
}

function clientTotals({ clients }: ClientSlotsResult) {
  return Object.fromEntries(
    clients.map(({ ip, name, count }) => [ip, { name: nameOrNull(name), total: count }]),
  );
}

function othersOf({ others }: ClientSlotsResult) {
  return others.clients > 0 ? { others: { name: 'other clients', total: others.count } } : {};
}

async function getLongTermClientHistory(parts: HistoryParts, request: Request<'getLongTermClientHistory'>) {
  if (hidesClients(parts)) return { status: 200 as const, body: concealed };
  const result = await queryHistoryWithin(parts, request, 'clientSlots', {
    most: Infinity,
    isRankedOverall: true,
  });
  if (isFailure(result)) return result;
  const slots = result.slots.slice(-limits.historySlots).toReversed();
  const history = slots.map(({ fromSeconds, counts, others }) => {
    const data = counts.map(([place, count]) => [result.clients[place]?.ip ?? '', count] as const);
    return {
      timestamp: middleOf(fromSeconds),
      data: { ...Object.fromEntries(data), ...(others > 0 ? { others } : {}) },
    };
  });
  const clients = Object.fromEntries(result.clients.map(({ ip, name }) => [ip, { name: nameOrNull(name) }]));
  const truncated = result.truncated || slots.length < result.slots.length;
  return { status: 200 as const, body: { history, clients, truncated } };
}

async function getDatabaseInfo(parts: HistoryHandlerParts, request: Request<'getDatabaseInfo'>) {
  const figures = await queryHistory(parts, request, 'figures', undefined);
  if (isFailure(figures)) return figures;
  const lately = await queryHistory(parts, request, 'slots', lastDay(parts.nowMs()));
  if (isFailure(lately)) return lately;
  const earliestMs = figures.earliestMs ?? 0;
  const [oldest] = lately.slots;
  return {
    status: 200 as const,
    body: {
      ...parts.file(),
      queries: lately.slots.reduce((sum, { total }) => sum + total, 0),
      earliest_timestamp: oldest === undefined ? 0 : Math.max(oldest.fromSeconds, earliestMs / 1000),
      queries_disk: figures.rows,
      earliest_timestamp_disk: earliestMs / 1000,
      sqlite_version: process.versions['sqlite'] ?? '',
    },
  };
}
