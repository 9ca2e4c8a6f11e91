// Queries over time, in slots of 600 s, and the history's file. Existing clients know the fields; `truncated`
// and the filters by client, group, list and time are new.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { Count, longTermErrors, longTermFields, scopeFields, Truncated } from './history-words.ts';
import { countUpTo, UnixSeconds } from './shared.ts';

const Timestamp = Type.Integer({ description: 'The middle of the slot, Unix time in seconds' });
const sums = { total: Count, cached: Count, blocked: Count };
const Text = Type.Union([Type.String(), Type.Null()]);

const Slot = Type.Object({ timestamp: Timestamp, ...sums, forwarded: Count }, { title: 'HistorySlot' });
const LongTermSlot = Type.Object({ timestamp: Timestamp, ...sums }, { title: 'LongTermSlot' });
const ClientSlot = Type.Object(
  {
    timestamp: Timestamp,
    data: Type.Record(Type.String(), Count, {
      description: 'Queries by address; `others` are those of all other clients',
    }),
  },
  { title: 'ClientHistorySlot' },
);

const Hidden = Type.Array(Type.Never(), { maxItems: 0, description: 'When the privacy level hides clients' });
function ClientsOf<T extends Type.TSchema>(client: T) {
  return Type.Union([Type.Record(Type.String(), client, { description: 'By address' }), Hidden]);
}

const slot = { timestamp: 1794700500, total: 100, cached: 30, blocked: 20 };
const clientSlot = { timestamp: 1794700500, data: { '192.168.1.5': 80, others: 20 } };
const common = { method: 'GET', topic: 'statistics', access: 'session', errors: ['historyAway'] } as const;
const narrowed = { ...common, errors: ['unknownGroup', 'historyAway'] } as const;
const longTerm = {
  ...common,
  errors: ['noTimeRange', 'unknownGroup', 'historyAway'],
  fieldErrors: longTermErrors,
} as const;

export const historyEndpoints = {
  getHistory: endpoint({
    ...narrowed,
    path: '/api/history',
    summary: 'Get queries over time',
    description:
      'All slots of the last 24 hours, including empty ones, the oldest first: 145 of 600 s each. With ' +
      `\`from\` or \`until\` all slots of that time, at most the newest ${limits.historySlots}.`,
    query: Type.Object(scopeFields),
    replies: {
      200: {
        description: 'The slots',
        body: Type.Object({ history: Type.Array(Slot), truncated: Truncated }),
        example: { history: [{ ...slot, forwarded: 50 }], truncated: false },
      },
    },
  }),
  getClientHistory: endpoint({
    ...narrowed,
    path: '/api/history/clients',
    summary: 'Get queries of the busiest clients over time',
    description: 'The slots of /api/history.',
    query: Type.Object({
      N: countUpTo(limits.topEntries, {
        default: 10,
        description: 'Number of clients, including one entry for all others; 0: all',
      }),
      ...scopeFields,
    }),
    replies: {
      200: {
        description: 'The slots, and the clients in them',
        body: Type.Object({
          history: Type.Array(ClientSlot),
          clients: ClientsOf(Type.Object({ name: Text, total: Count })),
          truncated: Truncated,
        }),
        example: {
          history: [clientSlot],
          clients: {
            '192.168.1.5': { name: 'tablet.lan', total: 80 },
            others: { name: 'other clients', total: 20 },
          },
          truncated: false,
        },
      },
    },
  }),
  getLongTermHistory: endpoint({
    ...longTerm,
    path: '/api/history/database',
    summary: 'Get queries over a time range',
    query: Type.Object(longTermFields),
    replies: {
      200: {
        description: 'Slots with at least one query, the oldest first',
        body: Type.Object({ history: Type.Array(LongTermSlot), truncated: Truncated }),
        example: { history: [slot], truncated: false },
      },
    },
  }),
  getLongTermClientHistory: endpoint({
    ...longTerm,
    path: '/api/history/database/clients',
    summary: 'Get queries of clients over a time range',
    query: Type.Object(longTermFields),
    replies: {
      200: {
        description:
          'Slots with at least one query, the newest first; `others` when there are too many clients',
        body: Type.Object({
          history: Type.Array(ClientSlot),
          clients: ClientsOf(Type.Object({ name: Text })),
          truncated: Truncated,
        }),
        example: { history: [clientSlot], clients: { '192.168.1.5': { name: null } }, truncated: false },
      },
    },
  }),
  getDatabaseInfo: endpoint({
    ...common,
    topic: 'information',
    path: '/api/info/database',
    summary: 'Get information about the history file',
    replies: {
      200: {
        description: 'The file and its content',
        body: Type.Object({
          size: Type.Integer({ minimum: 0, description: 'Bytes' }),
          type: Type.Enum(['Regular file', 'Symbolic link', 'Unknown']),
          mode: Type.String(),
          atime: UnixSeconds,
          mtime: UnixSeconds,
          ctime: UnixSeconds,
          owner: Type.Object({
            user: Type.Object({ uid: Type.Integer(), name: Text, info: Text }),
            group: Type.Object({ gid: Type.Integer(), name: Text }),
          }),
          queries: Type.Integer({ minimum: 0, description: 'Of the last 24 hours' }),
          earliest_timestamp: Type.Number({ description: 'Of the last 24 hours; 0 when there is none' }),
          queries_disk: Type.Integer({ minimum: 0, description: 'All stored queries' }),
          earliest_timestamp_disk: Type.Number({ description: 'Of all; 0 when there is none' }),
          sqlite_version: Type.String(),
        }),
        example: {
          size: 1_048_576,
          type: 'Regular file',
          mode: 'rw-------',
          atime: 1794700000,
          mtime: 1794700000,
          ctime: 1794700000,
          owner: { user: { uid: 1000, name: 'sluice', info: null }, group: { gid: 1000, name: 'sluice' } },
          queries: 1000,
          earliest_timestamp: 1794613600.5,
          queries_disk: 50_000,
          earliest_timestamp_disk: 1790000000.5,
          sqlite_version: '3.51.0',
        },
      },
    },
  }),
  flushLogs: endpoint({
    method: 'POST',
    path: '/api/action/flush/logs',
    topic: 'statistics',
    access: 'sudo',
    summary: 'Delete all stored queries',
    description:
      'They disappear from the log and from every statistic at once; disk space is freed gradually.',
    replies: {
      200: {
        description: 'The queries are deleted',
        body: Type.Object({ status: Type.Literal('success') }),
        example: { status: 'success' },
      },
    },
    errors: ['historyAway'],
  }),
} as const;
