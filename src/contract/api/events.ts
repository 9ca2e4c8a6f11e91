// Live events as one stream of server-sent events (WHATWG HTML, section 9.2). A subscriber chooses among the
// types; docs/events.md has the events of each type and their fields.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';

export const eventTypes = [
  'queries',
  'settings',
  'policy',
  'lists',
  'messages',
  'blocking',
  'health',
] as const;

export type EventType = (typeof eventTypes)[number];

/** These filters apply to batches of queries, and to no other event. */
function filter(description: string) {
  return Type.Optional(Type.String({ maxLength: limits.domainTextLength, description }));
}

export const eventEndpoints = {
  getEvents: endpoint({
    method: 'GET',
    path: '/api/events',
    topic: 'information',
    access: 'session',
    summary: 'Subscribe to events, as server-sent events',
    description:
      'Each event has an `id`, a name and a JSON object with `time`; docs/events.md lists them. A comment ' +
      `is sent every ${limits.eventHeartbeatMs / 1000} seconds. A client that reconnects with the header ` +
      '`Last-Event-ID` gets the events that it missed, as far as they are kept; otherwise the event ' +
      '`lost`. A client that does not keep up is dropped. The stream ends with the session and when the ' +
      `service stops; the event \`end\` says why. There may be ${limits.eventReaders} streams, ` +
      `${limits.eventReadersPerAddress} per address and ${limits.eventReadersPerSession} per session.`,
    query: Type.Object({
      types: Type.Optional(
        Type.String({
          maxLength: limits.nameLength,
          description: `Types of events, separated by commas: ${eventTypes.join(', ')}; all by default`,
          examples: ['lists,messages'],
        }),
      ),
      domain: filter('Only queries for this name; `*` stands for any run of characters'),
      client: filter('Only queries of this client, by address or by name; `*` as for a name'),
      upstream: filter('Only queries to this upstream; also `blocklist`, `cache`, `permitted`'),
      status: filter('Only queries with this status, as in /api/queries'),
      lastEventId: Type.Optional(
        Type.String({
          maxLength: limits.nameLength,
          description:
            'Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence',
        }),
      ),
    }),
    replies: {
      200: {
        description: 'Events, until one side closes the stream',
        body: 'text/event-stream',
        isPushed: true,
      },
    },
    errors: ['invalidParameter', 'invalidQueryStatus', 'unavailable'],
  }),
} as const;
