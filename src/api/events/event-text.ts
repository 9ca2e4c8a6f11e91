// Events in the format of the stream (WHATWG HTML section 9.2.6): serialised once and sent to all readers as
// the same bytes. JSON.stringify writes no line breaks, so each event has one line of data.

import { eventTypes, type EventType } from '#contract';
import type { EventName, ServiceEvent, ServiceEvents } from './event-hub.ts';

/** The type by which readers select events. */
export function typeOf(name: EventName): EventType {
  return types[name];
}

const types: Readonly<Record<EventName, EventType>> = {
  queries: 'queries',
  'settings.changed': 'settings',
  'apps.changed': 'settings',
  'policy.changed': 'policy',
  'lists.reported': 'lists',
  'lists.progress': 'lists',
  'lists.compiled': 'lists',
  'lists.held': 'lists',
  'messages.changed': 'messages',
  'blocking.changed': 'blocking',
  'health.changed': 'health',
};

function changeFields({
  version,
  kept,
  leftOut,
}: ServiceEvents['policy.changed' | 'settings.changed']): object {
  return { version, changes: kept, left_out: leftOut };
}

/** The fields of each event by their names in the API; docs/events.md lists them. */
const fields: { readonly [N in EventName]: (data: ServiceEvents[N]) => object } = {
  queries: ({ kept, leftOut }) => ({ queries: kept, left_out: leftOut }),
  'settings.changed': changeFields,
  'apps.changed': changeFields,
  'policy.changed': changeFields,
  'lists.reported': ({ kept, leftOut }) => ({ lists: kept, left_out: leftOut }),
  'lists.progress': ({ listId, text }) => ({ list: listId ?? null, text }),
  'lists.compiled': ({ names, problem }) => ({ names, problem: problem ?? null }),
  'lists.held': ({ listId, text }) => ({ list: listId, text }),
  'messages.changed': ({ count }) => ({ count }),
  'blocking.changed': ({ blocking, timer, pauses }) => ({ blocking, timer, pauses }),
  'health.changed': ({ status, problems }) => ({
    status,
    degraded: problems.map(({ part, reason, sinceMs }) => ({
      part,
      reason,
      since: Math.floor(sinceMs / 1000),
    })),
  }),
};

export function eventBytes(id: string, { name, atMs, data }: ServiceEvent): Buffer {
  // Name and data of an event belong together.
  const present = fields[name] as (data: unknown) => object;
  return textBytes({ id, name, data: { time: atMs / 1000, ...present(data) } });
}

interface EventText {
  /** Left out of events for a single reader, which then resumes after the last event for all readers. */
  readonly id?: string;
  readonly name: string;
  readonly data: object;
  /** How long a client waits before it reconnects. */
  readonly retryMs?: number;
}

export function textBytes({ id, name, data, retryMs }: EventText): Buffer {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${retry}${idLine}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A comment without content, so that the connection does not look dead. */
export const heartbeatBytes = Buffer.from(':\n\n');

/** Parses a comma-separated list of types; returns the first word that is not a type. */
export function parseTypes(text: string): ReadonlySet<EventType> | { readonly unknown: string } {
  const words = text.split(',').map((word) => word.trim().toLowerCase());
  const found = words.map((word) => eventTypes.find((type) => type === word));
  const wrong = found.indexOf(undefined);
  if (wrong >= 0) return { unknown: words[wrong] ?? '' };
  return new Set(found.filter((type) => type !== undefined));
}
