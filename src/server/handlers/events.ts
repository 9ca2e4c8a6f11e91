// The handler of events: who may read which, and whether there is a place. The stream itself is a matter of
// src/server/events.

import { eventTypes, fail, limits, type EventType, type Failure } from '#contract';
import type { EventStreams } from '../events/event-streams.ts';
import { readTypes } from '../events/event-text.ts';
import type { Caller } from '../http/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';

export interface EventParts {
  readonly streams: EventStreams;
  /** Whether whoever came in would still be let in. */
  readonly isStillIn: (caller: Caller | undefined) => boolean;
}

export const createEventHandlers = (parts: EventParts): Pick<Handlers, 'getEvents'> => ({
  getEvents: ({ query, caller, from }: Request<'getEvents'>) => {
    const types = wantedTypes(query.types);
    if ('failure' in types) return types;
    if (parts.streams.isClosed) return fail('unavailable', 'The service is going: come again in a moment.');
    const { address, headers } = from();
    const who = { address, sessionId: caller?.kind === 'session' ? caller.session.id : undefined };
    const full = parts.streams.fullness(who);
    if (full !== undefined) return fail('tooManyRequests', full);
    const sent = headers.find(({ name }) => name === 'last-event-id')?.value ?? query.lastEventId;
    // An empty one is none (WHATWG HTML section 9.2.4).
    const lastId = sent === undefined || sent === '' ? undefined : sent.slice(0, limits.nameLength);
    const reader = { ...who, types, lastId, isAllowed: () => parts.isStillIn(caller) };
    return {
      status: 200,
      pushed: { mediaType: 'text/event-stream', start: (target) => parts.streams.open(target, reader) },
    };
  },
});

const wantedTypes = (text: string | undefined): ReadonlySet<EventType> | Failure<'invalidParameter'> => {
  if (text === undefined) return new Set(eventTypes);
  const read = readTypes(text);
  if (!('unknown' in read)) return read;
  return fail('invalidParameter', `types: "${read.unknown}" is none of ${eventTypes.join(', ')}`);
};
