// What happens, as it happens: one stream of server-sent events (WHATWG HTML, section 9.2). The types are
// what a reader may choose from; docs/events.md has the events of each type and their fields.

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

/** They narrow batches of queries, and no other event. */
function filter(description: string) {
  return Type.Optional(Type.String({ maxLength: limits.domainTextLength, description }));
}

export const eventEndpoints = {
  getEvents: endpoint({
    method: 'GET',
    path: '/api/events',
    topic: 'information',
    access: 'session',
    summary: 'Follow what happens, as server-sent events',
    description:
      'Each event has an `id`, a name and a JSON object with `time`; docs/events.md lists them. A comment ' +
      `comes every ${limits.eventHeartbeatMs / 1000} seconds. Whoever comes again with the header ` +
      '`Last-Event-ID` gets what happened meanwhile, as far as it is kept; the event `lost` says when ' +
      'something is not. A reader that does not keep up is dropped. The stream ends with the session and ' +
      `when the service stops; the event \`end\` says why. There may be ${limits.eventReaders} streams, ` +
      `${limits.eventReadersPerAddress} of one address and ${limits.eventReadersPerSession} of one session.`,
    query: Type.Object({
      types: Type.Optional(
        Type.String({
          maxLength: limits.nameLength,
          description: `Which types of events, with commas between: ${eventTypes.join(', ')}; all if absent`,
          examples: ['lists,messages'],
        }),
      ),
      domain: filter('Only queries for this name; `*` stands for any run of characters'),
      client: filter('Only queries of this client, by address or by name; `*` as for a name'),
      upstream: filter('Only queries that went there; also `blocklist`, `cache`, `permitted`'),
      status: filter('Only queries with this status, as in /api/queries'),
      lastEventId: Type.Optional(
        Type.String({
          maxLength: limits.nameLength,
          description: 'As the header `Last-Event-ID`, for clients that cannot set it; the header wins',
        }),
      ),
    }),
    replies: {
      200: { description: 'Events, until one side ends it', body: 'text/event-stream', isPushed: true },
    },
    errors: ['invalidParameter', 'invalidQueryStatus', 'unavailable'],
  }),
} as const;
