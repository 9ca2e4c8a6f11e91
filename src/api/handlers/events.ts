// The handler of events: reads the wanted types and filters, and checks the limits of streams. The streams
// themselves are in api/events.

import { eventTypes, fail, limits, queryStatusNames, type EventType, type Failure } from '#contract';
import type { EventStreams } from '../events/event-streams.ts';
import { parseTypes } from '../events/event-text.ts';
import { queryFilterOf, type QueryFilter } from '../events/query-filter.ts';
import type { Caller } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { textOf } from './query-filter.ts';

export interface EventParts {
  readonly streams: EventStreams;
  /** Whether a caller that was identified earlier would still be accepted. */
  readonly isStillValid: (caller: Caller | undefined) => boolean;
}

export function createEventHandlers(parts: EventParts): Pick<Handlers, 'getEvents'> {
  return {
    getEvents: ({ query, caller, from }: Request<'getEvents'>) => {
      const types = wantedTypes(query.types);
      if ('failure' in types) return types;
      const filter = wantedQueries(query);
      if (filter !== undefined && 'failure' in filter) return filter;
      if (parts.streams.isClosed)
        return fail('unavailable', 'The service is stopping: reconnect in a moment.');
      const { address, headers } = from();
      const who = { address, sessionId: caller?.kind === 'session' ? caller.session.id : undefined };
      const capacity = parts.streams.capacityProblem(who);
      if (capacity !== undefined) return fail('tooManyRequests', capacity);
      const lastId = lastIdOf(
        headers.find(({ name }) => name === 'last-event-id')?.value ?? query.lastEventId,
      );
      const reader = { ...who, types, filter, lastId, isAllowed: () => parts.isStillValid(caller) };
      return {
        status: 200,
        pushed: { mediaType: 'text/event-stream', start: (target) => parts.streams.open(target, reader) },
      };
    },
  };
}

/** An empty id means none (WHATWG HTML section 9.2.4). */
function lastIdOf(sent: string | undefined): string | undefined {
  return sent === undefined || sent === '' ? undefined : sent.slice(0, limits.nameLength);
}

function wantedQueries(
  query: Request<'getEvents'>['query'],
): QueryFilter | undefined | Failure<'invalidQueryStatus'> {
  const status = textOf(query.status);
  if (status !== undefined && !queryStatusNames.some((name) => name === status.toUpperCase()))
    return fail('invalidQueryStatus', status);
  const [domain, client, upstream] = [query.domain, query.client, query.upstream].map(textOf);
  return queryFilterOf({ domain, client, upstream, status });
}

function wantedTypes(text: string | undefined): ReadonlySet<EventType> | Failure<'invalidParameter'> {
  if (text === undefined) return new Set(eventTypes);
  const read = parseTypes(text);
  if (!('unknown' in read)) return read;
  return fail('invalidParameter', `types: "${read.unknown}" is none of ${eventTypes.join(', ')}`);
}
